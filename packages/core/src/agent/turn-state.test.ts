import { describe, expect, it } from 'vitest';
import { advanceTurn, type TurnHappening, type TurnState } from './turn-state.ts';

const maxSteps = 3;
const admitted: TurnState = { name: 'admitted', maxSteps };
const preparing: TurnState = { name: 'preparing', step: 2, maxSteps };
const requesting: TurnState = { name: 'requesting', step: 2, maxSteps, attempt: 1 };
const waiting: TurnState = { name: 'waiting', step: 2, maxSteps, attempt: 1 };
const executing: TurnState = { name: 'executing', step: 2, maxSteps };
const ended: TurnState = { name: 'ended', status: 'completed' };
const error = { code: 'STREAM_CUT', message: 'cut' } as const;

const happenings: readonly TurnHappening[] = [
  { type: 'accepted' },
  { type: 'prepared' },
  { type: 'pictures-lost' },
  { type: 'thoughts-refused' },
  { type: 'postponed', delayMs: 500, code: 'ENDPOINT_RATE_LIMITED' },
  { type: 'waited' },
  { type: 'answered', callCount: 1, hasWords: false, reason: 'tool-calls' },
  { type: 'executed' },
  { type: 'stopped' },
  { type: 'failed', error },
  { type: 'lost', error: { code: 'LEASE_LOST', message: 'taken over' } },
];

describe('advanceTurn', () => {
  it('begins the first step when the turn is stored', () => {
    expect(advanceTurn(admitted, { type: 'accepted' })).toEqual({
      state: { name: 'preparing', step: 1, maxSteps },
      commands: [
        { type: 'begin-step', step: 1 },
        { type: 'prepare-step', step: 1 },
      ],
    });
  });

  it('sends what is prepared', () => {
    expect(advanceTurn(preparing, { type: 'prepared' })).toEqual({
      state: requesting,
      commands: [{ type: 'send-request', step: 2, attempt: 1 }],
    });
  });

  it('prepares the same step again without lost pictures, or without refused thoughts', () => {
    for (const type of ['pictures-lost', 'thoughts-refused'] as const) {
      expect(advanceTurn(requesting, { type })).toEqual({
        state: preparing,
        commands: [{ type: 'prepare-step', step: 2 }],
      });
    }
  });

  it('waits with a request that may succeed later, and then sends the same step once more', () => {
    const postponed: TurnHappening = { type: 'postponed', delayMs: 500, code: 'ENDPOINT_RATE_LIMITED' };
    expect(advanceTurn(requesting, postponed)).toEqual({
      state: waiting,
      commands: [{ type: 'wait', step: 2, attempt: 1, delayMs: 500, code: 'ENDPOINT_RATE_LIMITED' }],
    });
    expect(advanceTurn(waiting, { type: 'waited' })).toEqual({
      state: { name: 'requesting', step: 2, maxSteps, attempt: 2 },
      commands: [{ type: 'send-request', step: 2, attempt: 2 }],
    });
  });

  it('counts the attempts of each request anew', () => {
    const lost = advanceTurn({ ...requesting, attempt: 3 }, { type: 'pictures-lost' });
    expect(lost.state).toEqual(preparing);
    expect(advanceTurn(lost.state, { type: 'prepared' }).commands).toEqual([
      { type: 'send-request', step: 2, attempt: 1 },
    ]);
  });

  it('runs the calls of an answer, whatever reason the endpoint gave', () => {
    for (const reason of ['stop', 'tool-calls', 'length', 'other'] as const) {
      expect(advanceTurn(requesting, { type: 'answered', callCount: 2, hasWords: false, reason })).toEqual({
        state: executing,
        commands: [{ type: 'execute-tools', step: 2 }],
      });
    }
  });

  it('ends with an answer without calls', () => {
    for (const reason of ['stop', 'tool-calls', 'other'] as const) {
      expect(advanceTurn(requesting, { type: 'answered', callCount: 0, hasWords: true, reason })).toEqual({
        state: { name: 'ended', status: 'completed' },
        commands: [
          { type: 'end-step', step: 2 },
          { type: 'end-turn', status: 'completed' },
        ],
      });
    }
  });

  it('fails a turn whose answer was cut by a limit or withheld', () => {
    const codes = (['length', 'content-filter'] as const).map((reason) => {
      const { state } = advanceTurn(requesting, { type: 'answered', callCount: 0, hasWords: false, reason });
      return state.name === 'ended' ? [state.status, state.error?.code] : [];
    });
    expect(codes).toEqual([
      ['failed', 'OUTPUT_LIMIT'],
      ['failed', 'CONTENT_FILTERED'],
    ]);
  });

  it('fails a turn whose answer holds neither words nor calls', () => {
    for (const reason of ['stop', 'tool-calls', 'other'] as const) {
      const { state } = advanceTurn(requesting, { type: 'answered', callCount: 0, hasWords: false, reason });
      expect(state).toEqual({
        name: 'ended',
        status: 'failed',
        error: { code: 'ANSWER_EMPTY', message: 'The model answered nothing.' },
      });
    }
  });

  it('goes on to the next step when the calls have results', () => {
    expect(advanceTurn(executing, { type: 'executed' })).toEqual({
      state: { name: 'preparing', step: 3, maxSteps },
      commands: [
        { type: 'end-step', step: 2 },
        { type: 'begin-step', step: 3 },
        { type: 'prepare-step', step: 3 },
      ],
    });
  });

  it('fails with the limit in words when the last allowed step wants another one', () => {
    const { state, commands } = advanceTurn({ name: 'executing', step: 3, maxSteps }, { type: 'executed' });
    expect(state).toMatchObject({ name: 'ended', status: 'failed', error: { code: 'STEP_LIMIT' } });
    expect(state).toMatchObject({ error: { message: expect.stringContaining('3 steps') } });
    expect(commands.map(({ type }) => type)).toEqual(['end-step', 'end-turn']);
  });

  for (const state of [preparing, requesting, waiting, executing]) {
    it(`closes the step and the turn on a stop while ${state.name}`, () => {
      expect(advanceTurn(state, { type: 'stopped' })).toEqual({
        state: { name: 'ended', status: 'stopped' },
        commands: [
          { type: 'end-step', step: 2 },
          { type: 'end-turn', status: 'stopped' },
        ],
      });
    });

    it(`closes the step and the turn on a failure while ${state.name}`, () => {
      expect(advanceTurn(state, { type: 'failed', error })).toEqual({
        state: { name: 'ended', status: 'failed', error },
        commands: [
          { type: 'end-step', step: 2 },
          { type: 'end-turn', status: 'failed', error },
        ],
      });
    });
  }

  it('ends as interrupted when another process took the session over', () => {
    const lost = { code: 'LEASE_LOST', message: 'taken over' } as const;
    for (const state of [preparing, requesting, waiting, executing]) {
      expect(advanceTurn(state, { type: 'lost', error: lost })).toEqual({
        state: { name: 'ended', status: 'interrupted', error: lost },
        commands: [
          { type: 'end-step', step: 2 },
          { type: 'end-turn', status: 'interrupted', error: lost },
        ],
      });
    }
  });

  it('closes only the turn when no step has begun', () => {
    expect(advanceTurn(admitted, { type: 'stopped' }).commands).toEqual([{ type: 'end-turn', status: 'stopped' }]);
    expect(advanceTurn(admitted, { type: 'failed', error }).commands).toEqual([
      { type: 'end-turn', status: 'failed', error },
    ]);
  });

  it('stays ended whatever arrives', () => {
    for (const happening of happenings) {
      expect(advanceTurn(ended, happening)).toEqual({ state: ended, commands: [] });
    }
  });

  it('refuses what cannot occur in a state', () => {
    const allowed: Readonly<Record<string, readonly string[]>> = {
      admitted: ['accepted', 'stopped', 'failed', 'lost'],
      preparing: ['prepared', 'stopped', 'failed', 'lost'],
      requesting: ['pictures-lost', 'thoughts-refused', 'postponed', 'answered', 'stopped', 'failed', 'lost'],
      waiting: ['waited', 'stopped', 'failed', 'lost'],
      executing: ['executed', 'stopped', 'failed', 'lost'],
    };
    for (const state of [admitted, preparing, requesting, waiting, executing]) {
      const accepted = happenings.filter((happening) => isAccepted(state, happening)).map(({ type }) => type);
      expect(accepted).toEqual(allowed[state.name]);
    }
  });
});

function isAccepted(state: TurnState, happening: TurnHappening): boolean {
  try {
    advanceTurn(state, happening);
    return true;
  } catch {
    return false;
  }
}
