import type { Services } from '../services.ts';
import { Approvers } from './approvers.ts';
import type { SessionDesk, SessionDesks } from './session-desk.ts';
import { SessionHub } from './session-hub.ts';
import { SessionRunner } from './session-runner.ts';

interface OpenDesk extends SessionDesk {
  readonly runner: SessionRunner;
}

/** The desks of one running Fovea. */
export class OpenDesks implements SessionDesks {
  readonly #desks = new Map<string, OpenDesk>();
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Made on first use. */
  at(sessionId: string): OpenDesk {
    const desk = this.#desks.get(sessionId) ?? this.#make(sessionId);
    this.#desks.set(sessionId, desk);
    return desk;
  }

  /** Every turn that runs here ends as interrupted; what waits stays for whoever comes next. */
  async close(): Promise<void> {
    await Promise.all([...this.#desks.values()].map(({ runner }) => runner.close()));
  }

  #make(sessionId: string): OpenDesk {
    const hub = new SessionHub();
    const approvers = new Approvers();
    return { hub, approvers, runner: new SessionRunner({ sessionId, hub, approvers }, this.#services) };
  }
}
