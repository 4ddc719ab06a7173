import { findClosestName } from '@fovea/server';

/** A line that speaks to the chat itself, not to the model. */
export type SlashCommand =
  | { readonly kind: 'help' | 'quit' | 'new' | 'paste' | 'undo' | 'cost' }
  | QueueCommand
  | { readonly kind: 'steer'; readonly text: string }
  | { readonly kind: 'attach'; readonly paths: string }
  | { readonly kind: 'detach'; readonly position?: number }
  | { readonly kind: 'model' | 'sessions'; readonly name?: string }
  | { readonly kind: 'unqueue'; readonly position?: number }
  | { readonly kind: 'wrong-detach' | 'wrong-unqueue' | 'wrong-queue' | 'wrong-steer' }
  | { readonly kind: 'unknown'; readonly name: string; readonly near: string | undefined };

/** What waits is named by its number, from 1. */
export type QueueCommand =
  | { readonly kind: 'queue'; readonly action: 'list' | 'resume' }
  | { readonly kind: 'queue'; readonly action: 'remove' | 'requeue'; readonly position: number }
  /** `before` absent: to the end. */
  | { readonly kind: 'queue'; readonly action: 'move'; readonly position: number; readonly before?: number };

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
  'steer',
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
      return { kind: name };
    case 'queue':
      return parseQueueCommand(rest.trim());
    case 'steer':
      return rest.trim() === '' ? { kind: 'wrong-steer' } : { kind: 'steer', text: rest };
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
    case 'wrong-queue':
    case 'steer':
    case 'wrong-steer':
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

function parseQueueCommand(rest: string): SlashCommand {
  const [action = 'list', ...numbers] = rest === '' ? [] : rest.split(/\s+/);
  if (!numbers.every((word) => /^[1-9]\d*$/.test(word))) return { kind: 'wrong-queue' };
  const [position, before] = numbers.map(Number);
  if ((action === 'list' || action === 'resume') && numbers.length === 0) return { kind: 'queue', action };
  if (position === undefined || numbers.length > 2) return { kind: 'wrong-queue' };
  if (action === 'move') return { kind: 'queue', action, position, ...(before === undefined ? {} : { before }) };
  if (before !== undefined || (action !== 'remove' && action !== 'requeue')) return { kind: 'wrong-queue' };
  return { kind: 'queue', action, position };
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
