import {
  type AssistantMessage,
  type FoveaEvent,
  type Message,
  type StepSnapshotEvent,
  type ToolMessage,
  type TurnRecord,
  textOf,
  toolCallsOf,
  toToolResultEvent,
} from '@fovea/core/content';

/** What one who follows a turn has been told of it, and what they still have to be told. */
export class TurnTelling {
  #step = 0;
  #isStepOpen = false;
  /** Of the open step; `undefined` where it was joined inside and its beginning is not known. */
  #said: { readonly text: string; readonly thinking: string } | undefined;
  readonly #callIds = new Set<string>();
  readonly #resultIds = new Set<string>();
  #hasUsage = false;

  /** An event that is told now, or that whoever follows knows already. */
  note(event: FoveaEvent): void {
    switch (event.type) {
      case 'step-start':
        this.#step = event.step;
        this.#isStepOpen = true;
        this.#said = { text: '', thinking: '' };
        this.#hasUsage = false;
        return;
      case 'text-delta':
        if (this.#said !== undefined) this.#said = { ...this.#said, text: this.#said.text + event.text };
        return;
      case 'thinking-delta':
        if (this.#said !== undefined) this.#said = { ...this.#said, thinking: this.#said.thinking + event.text };
        return;
      case 'step-snapshot':
        this.#step = event.step;
        this.#isStepOpen = true;
        this.#said = { text: event.text, thinking: event.thinking };
        return;
      case 'tool-call':
        this.#callIds.add(event.toolCallId);
        return;
      case 'tool-result':
        this.#resultIds.add(event.toolCallId);
        return;
      case 'usage':
        this.#hasUsage = true;
        return;
      case 'step-end':
        this.#step = event.step;
        this.#isStepOpen = false;
        return;
      default:
    }
  }

  /** What the open step has said; absent where there is none, or it said nothing. */
  snapshot(): StepSnapshotEvent | undefined {
    if (!this.#isStepOpen || this.#said === undefined) return undefined;
    if (this.#said.text === '' && this.#said.thinking === '') return undefined;
    return { type: 'step-snapshot', step: this.#step, ...this.#said };
  }

  /** Whoever follows knows more of the open step than is known here. */
  forgetWords(): void {
    this.#said = undefined;
  }

  /** What a snapshot says beyond what was told; the snapshot itself where that is not known. */
  growthOf(snapshot: StepSnapshotEvent): readonly FoveaEvent[] {
    const { step, text, thinking } = snapshot;
    if (step < this.#step || (step === this.#step && !this.#isStepOpen)) return [];
    const said = step === this.#step ? this.#said : undefined;
    if (said === undefined || !text.startsWith(said.text) || !thinking.startsWith(said.thinking)) {
      return said?.text === text && said.thinking === thinking ? [] : [snapshot];
    }
    return [
      ...deltaOf('thinking-delta', thinking.slice(said.thinking.length)),
      ...deltaOf('text-delta', text.slice(said.text.length)),
    ];
  }

  /** What is missing of a turn that has ended, as its stored messages and its row say it. */
  *restOf(messages: readonly Message[], turn: TurnRecord): Generator<FoveaEvent> {
    for (const [index, stored] of splitIntoSteps(messages).entries()) {
      const step = index + 1;
      if (step > this.#step || (step === this.#step && this.#isStepOpen)) yield* this.#restOfStep(step, stored);
    }
    if (this.#isStepOpen) yield { type: 'step-end', step: this.#step };
    const status = turn.status === 'running' ? 'interrupted' : turn.status;
    yield { type: 'turn-end', status, ...(turn.error && { error: turn.error }) };
  }

  /** Each event is noted by the caller before the next one is asked for. */
  *#restOfStep(step: number, { answer, results }: StoredStep): Generator<FoveaEvent> {
    if (step > this.#step) {
      if (this.#isStepOpen) yield { type: 'step-end', step: this.#step };
      yield { type: 'step-start', step, model: answer.model };
    }
    const text = textOf(answer);
    const thinking = answer.parts.map((part) => (part.type === 'thinking' ? part.text : '')).join('');
    yield* this.growthOf({ type: 'step-snapshot', step, text, thinking });
    for (const { toolCallId, name, arguments: given } of toolCallsOf(answer)) {
      if (!this.#callIds.has(toolCallId)) yield { type: 'tool-call', toolCallId, name, arguments: given };
    }
    for (const result of results) {
      if (!this.#resultIds.has(result.toolCallId)) yield toToolResultEvent(result);
    }
    if (answer.usage !== undefined && !this.#hasUsage) {
      yield { type: 'usage', step, model: answer.model, ...answer.usage };
    }
    yield { type: 'step-end', step };
  }
}

interface StoredStep {
  readonly answer: AssistantMessage;
  readonly results: readonly ToolMessage[];
}

/** Every step of a turn stores one answer, and behind it what its calls gave. */
function splitIntoSteps(messages: readonly Message[]): readonly StoredStep[] {
  const steps: { readonly answer: AssistantMessage; readonly results: ToolMessage[] }[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') steps.push({ answer: message, results: [] });
    if (message.role === 'tool') steps.at(-1)?.results.push(message);
  }
  return steps;
}

function deltaOf(type: 'text-delta' | 'thinking-delta', text: string): readonly FoveaEvent[] {
  return text === '' ? [] : [{ type, text }];
}
