import { isRecord } from '../base/parse-json.ts';
import type { ToolActivity } from '../content/events.ts';

/** What an activity line shows of a call: one of its arguments, as soon as it is there. */
export function argumentActivity(
  kind: ToolActivity['kind'],
  argument: string,
): (toolArguments: unknown) => ToolActivity | undefined {
  return (toolArguments) => {
    const target = isRecord(toolArguments) ? toolArguments[argument] : undefined;
    return typeof target === 'string' ? { kind, target } : undefined;
  };
}
