import { isRecord, parseJson } from '@fovea/core/base';
import { sanitizeForTerminal } from './sanitize.ts';

const LONGEST = 160;

/** One line that says what a tool call does: `view_image shot.png`. */
export function toolCallLine(call: {
  readonly name: string;
  readonly arguments: string;
  readonly activity?: { readonly target: string };
}): string {
  return oneLine(`${call.name} ${call.activity?.target ?? call.arguments}`);
}

/** One line that says how it ended: the `content` of a structured result, else the text's first line. */
export function toolResultLine(result: string): string {
  const parsed = parseJson(result);
  const content = parsed.ok && isRecord(parsed.value) ? parsed.value['content'] : undefined;
  const lines = (typeof content === 'string' ? content : result).trim().split('\n');
  const rest = lines.length > 1 ? ` … (+${lines.length - 1})` : '';
  return `${oneLine(lines[0] ?? '')}${rest}`;
}

function oneLine(text: string): string {
  const line = sanitizeForTerminal(text).replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
