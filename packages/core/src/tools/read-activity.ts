import { isRecord } from '../base/parse-json.ts';
import type { Tool } from './tool.ts';

type Activity = NonNullable<ReturnType<NonNullable<Tool['activity']>>>;

/** What an activity line shows of a tool that reads one path: the path, as soon as there is one. */
export function readActivity(toolArguments: unknown): Activity | undefined {
  const path = isRecord(toolArguments) ? toolArguments['path'] : undefined;
  return typeof path === 'string' ? { kind: 'READ', target: path } : undefined;
}
