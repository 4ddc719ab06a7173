import type { FoveaEvent } from '@fovea/core/content';
import { TurnDisplay } from '../render/print-turn.ts';
import { RunningTurn, type RunningTurnOptions } from './running-turn.ts';
import type { Terminal } from './terminal.ts';

export interface TurnStageOptions extends RunningTurnOptions {
  readonly terminal: Terminal;
  readonly hasColors: boolean;
  /** The user wants the turn that is shown to end. */
  readonly onStop: () => void;
}

interface Scene {
  readonly running: RunningTurn;
  readonly display: TurnDisplay;
  /** Aborted when the turn is being stopped, which is said. */
  readonly stopping: AbortController;
  readonly close: () => void;
  readonly closed: Promise<void>;
}

/** Where the running turn is shown, or the one that is about to begin; nothing while none is expected. */
export class TurnStage {
  readonly #options: TurnStageOptions;
  #scene: Scene | undefined;
  /** The turn whose events are shown; absent before the first one. */
  turnId: string | undefined;
  /** The process that runs it, where it is another one. */
  otherPid: number | undefined;

  constructor(options: TurnStageOptions) {
    this.#options = options;
  }

  get running(): RunningTurn | undefined {
    return this.#scene?.running;
  }

  /** Resolves when what is shown has ended. */
  get closed(): Promise<void> {
    return this.#scene?.closed ?? Promise.resolve();
  }

  /** Gives the row below the answer to a turn, before it begins. */
  open(): RunningTurn {
    if (this.#scene !== undefined) return this.#scene.running;
    const { terminal, locale, hasColors, isPlain, onStop } = this.#options;
    const running = new RunningTurn(this.#options);
    const stopping = new AbortController();
    const display = new TurnDisplay({
      output: terminal.output,
      diagnostics: terminal.output,
      locale,
      hasColors,
      isPlain,
      stopSignal: stopping.signal,
      footer: (widthColumns, silence) => running.footer(widthColumns, silence),
    });
    running.display = display;
    running.signal.addEventListener('abort', onStop, { once: true });
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    this.#scene = { running, display, stopping, close, closed };
    display.open();
    return running;
  }

  /** Says that the turn is being stopped. */
  sayStopping(): void {
    this.#scene?.stopping.abort();
  }

  show(event: FoveaEvent): void {
    this.#scene?.display.show(event);
  }

  close(): void {
    const scene = this.#scene;
    this.turnId = undefined;
    this.otherPid = undefined;
    if (scene === undefined) return;
    scene.display.close();
    this.#scene = undefined;
    scene.close();
  }
}
