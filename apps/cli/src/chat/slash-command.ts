import { findClosestName } from '@fovea/server';

/** A line that speaks to the chat itself, not to the model. */
export type SlashCommand =
  | { readonly kind: 'help' | 'quit' | 'new' | 'paste' | 'undo' | 'cost' | 'queue' }
  | { readonly kind: 'attach'; readonly paths: string }
  | { readonly kind: 'detach'; readonly position?: number }
  | { readonly kind: 'model' | 'sessions'; readonly name?: string }
  | { readonly kind: 'unqueue'; readonly position?: number }
  | { readonly kind: 'wrong-detach' | 'wrong-unqueue' }
  | { readonly kind: 'unknown'; readonly name: string; readonly near: string | undefined };

/** What can be typed, without the second names of some. */
const commandNames = [
  'attach',
  'detach',
  'paste',
  'model',
  'sessions',
  'undo',
  'cost',
  'queue',
  'unqueue',
  'new',
  'help',
  'quit',
];

/**
 * The command of a line that begins with one slash and a word, such as `/attach a.png`; absent for
 * text. A path such as `/home/me/a.png` is text.
 */
export function parseSlashCommand(line: string): SlashCommand | undefined {
  const match = /^\/([a-z]+)(?:\s+(.*))?$/s.exec(line.trim());
  if (match === null) return undefined;
  const [, name = '', rest = ''] = match;
  switch (name) {
    case 'help':
    case 'new':
    case 'paste':
    case 'undo':
    case 'cost':
    case 'queue':
      return { kind: name };
    case 'quit':
    case 'exit':
      return { kind: 'quit' };
    case 'attach':
      return { kind: 'attach', paths: rest };
    case 'detach':
      return parsePosition(rest.trim(), { kind: 'detach', wrong: 'wrong-detach' });
    case 'unqueue':
      return parsePosition(rest.trim(), { kind: 'unqueue', wrong: 'wrong-unqueue' });
    case 'model':
    case 'models':
      return named('model', rest.trim());
    case 'sessions':
    case 'session':
      return named('sessions', rest.trim());
    default:
      return { kind: 'unknown', name: `/${name}`, near: findNearCommand(name) };
  }
}

/** Whether a command is about what is being typed and what waits: it is obeyed at once, also while an answer runs. */
export function isAboutDraft(command: SlashCommand): boolean {
  switch (command.kind) {
    case 'attach':
    case 'detach':
    case 'wrong-detach':
    case 'paste':
    case 'queue':
    case 'unqueue':
    case 'wrong-unqueue':
    case 'unknown':
      return true;
    case 'help':
    case 'quit':
    case 'new':
    case 'undo':
    case 'cost':
    case 'model':
    case 'sessions':
      return false;
  }
}

function named(kind: 'model' | 'sessions', name: string): SlashCommand {
  return name === '' ? { kind } : { kind, name };
}

function parsePosition(
  rest: string,
  { kind, wrong }: { readonly kind: 'detach' | 'unqueue'; readonly wrong: 'wrong-detach' | 'wrong-unqueue' },
): SlashCommand {
  if (rest === '') return { kind };
  return /^[1-9]\d*$/.test(rest) ? { kind, position: Number(rest) } : { kind: wrong };
}

function findNearCommand(name: string): string | undefined {
  const near = findClosestName(name, commandNames);
  return near === undefined ? undefined : `/${near}`;
}
