/** What every endpoint takes; of an id that it gave itself it takes more. */
const LONGEST_OWN_ID = 40;

/**
 * `toolCallId`, or the first of `<id>_2`, `<id>_3`, … that `usedIds` does not hold yet, cut to a length
 * that endpoints take; it is added there. Some endpoints count ids from zero in every answer, or leave them empty, and a call must
 * be told from every other call of its conversation.
 */
export function takeFreshCallId(toolCallId: string, usedIds: Set<string>): string {
  const base = toolCallId === '' ? 'call' : toolCallId;
  let id = base;
  for (let number = 2; usedIds.has(id); number += 1) {
    const suffix = `_${number}`;
    id = `${base.slice(0, LONGEST_OWN_ID - suffix.length)}${suffix}`;
  }
  usedIds.add(id);
  return id;
}
