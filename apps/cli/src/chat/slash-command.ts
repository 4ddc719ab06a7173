import { findClosestName } from '@fovea/server';

/** A line that speaks to the chat itself, not to the model. */
export type SlashCommand =
  | { readonly kind: 'help' | 'quit' | 'new' | 'paste' }
  | { readonly kind: 'attach'; readonly paths: string }
  | { readonly kind: 'detach'; readonly position?: number }
  | { readonly kind: 'model'; readonly name?: string }
  | { readonly kind: 'wrong-detach' }
  | { readonly kind: 'unknown'; readonly name: string; readonly near: string | undefined };

/** What can be typed, without the second names of some. */
const commandNames = ['attach', 'detach', 'paste', 'model', 'new', 'help', 'quit'];

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
      return { kind: name };
    case 'quit':
    case 'exit':
      return { kind: 'quit' };
    case 'attach':
      return { kind: 'attach', paths: rest };
    case 'detach':
      return parseDetach(rest.trim());
    case 'model':
    case 'models':
      return rest === '' ? { kind: 'model' } : { kind: 'model', name: rest.trim() };
    default:
      return { kind: 'unknown', name: `/${name}`, near: findNearCommand(name) };
  }
}

function parseDetach(rest: string): SlashCommand {
  if (rest === '') return { kind: 'detach' };
  return /^[1-9]\d*$/.test(rest) ? { kind: 'detach', position: Number(rest) } : { kind: 'wrong-detach' };
}

function findNearCommand(name: string): string | undefined {
  const near = findClosestName(name, commandNames);
  return near === undefined ? undefined : `/${near}`;
}
