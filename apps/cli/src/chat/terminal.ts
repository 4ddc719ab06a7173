import type { Screen } from '../render/screen.ts';
import type { Keyboard } from './terminal-input.ts';

/** The terminal of the conversation: `process.stdin` and `process.stdout`, or streams that act like them. */
export interface Terminal {
  readonly input: Keyboard;
  readonly output: NodeJS.WritableStream & Screen & { readonly isTTY?: boolean };
  /** Cannot move its cursor (`TERM=dumb`): nothing is drawn twice, and no escape sequence is written. */
  readonly isPlain?: boolean;
  /** Stops the process until the user brings it back (Ctrl+Z); absent where the platform has no such thing. */
  suspend?(): Promise<void>;
}
