import type { Services } from '../services.ts';
import { Approvers } from './approvers.ts';
import { SessionHub } from './session-hub.ts';
import { SessionRunner } from './session-runner.ts';

/** Everything that this process keeps of one session in memory. */
export interface SessionDesk {
  readonly hub: SessionHub;
  readonly approvers: Approvers;
  readonly runner: SessionRunner;
}

/** The sessions that this process has to do with. */
export class SessionDesks {
  readonly #desks = new Map<string, SessionDesk>();
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Made on first use. */
  at(sessionId: string): SessionDesk {
    const desk = this.#desks.get(sessionId) ?? this.#make(sessionId);
    this.#desks.set(sessionId, desk);
    return desk;
  }

  /** Every turn that runs here ends as interrupted; what waits stays for whoever comes next. */
  async close(): Promise<void> {
    await Promise.all([...this.#desks.values()].map(({ runner }) => runner.close()));
  }

  #make(sessionId: string): SessionDesk {
    const hub = new SessionHub();
    const approvers = new Approvers();
    return { hub, approvers, runner: new SessionRunner({ sessionId, hub, approvers }, this.#services) };
  }
}
