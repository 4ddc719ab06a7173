import { isRecord, parseJson } from '@fovea/core/base';
import { cutToWidth } from './cut-to-width.ts';
import { sanitizeForTerminal } from './sanitize.ts';

const LONGEST_COLUMNS = 160;
const MOST_LAST_LINES = 6;

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
  const lines = contentOf(result).trim().split('\n');
  const rest = lines.length > 1 ? ` … (+${lines.length - 1})` : '';
  return `${oneLine(lines[0] ?? '')}${rest}`;
}

/** The last lines of a program's output, indented; its first one is shown already. */
export function lastLines(result: string): readonly string[] {
  const lines = contentOf(result).trim().split('\n').slice(1);
  return lines.slice(-MOST_LAST_LINES).map((line) => `    ${oneLine(line)}`);
}

/** The words of a result, which may lie in JSON with facts about them. */
function contentOf(result: string): string {
  const parsed = parseJson(result);
  const content = parsed.ok && isRecord(parsed.value) ? parsed.value['content'] : undefined;
  return typeof content === 'string' ? content : result;
}

function oneLine(text: string): string {
  const line = sanitizeForTerminal(text).replace(/\s+/g, ' ').trim();
  return cutToWidth(line, LONGEST_COLUMNS);
}
