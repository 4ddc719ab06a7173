import { isRecord, parseJson } from '../../base/parse-json.ts';
import { oracle, type Reply, replyText, replyToolCalls, type ScriptedToolCall } from './reply.ts';
import type { StrictRequest } from './strict-request.ts';

/**
 * What the model does without a script: when the last message is a user's and has lines
 * `CALL <tool> <json>`, it makes these calls; else it says what it sees.
 */
export function replyByDefault(request: StrictRequest): Reply {
  const last = request.messages.at(-1);
  if (last?.role !== 'user') return oracle();
  const calls: ScriptedToolCall[] = [];
  for (const line of last.text.split('\n')) {
    const [, name, json] = /^CALL (\S+)\s*(.*)$/.exec(line.trim()) ?? [];
    if (name === undefined) continue;
    const parsed = parseJson(json === undefined || json === '' ? '{}' : json);
    if (!parsed.ok || !isRecord(parsed.value)) return replyText(`The arguments of CALL ${name} are no JSON object.`);
    calls.push({ name, arguments: parsed.value });
  }
  return calls.length > 0 ? replyToolCalls(calls) : oracle();
}
