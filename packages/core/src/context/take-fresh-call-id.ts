/**
 * `toolCallId`, or the first of `<id>_2`, `<id>_3`, … that `usedIds` does not hold yet; it is added
 * there. Some endpoints count ids from zero in every answer, or leave them empty, and a call must
 * be told from every other call of its conversation.
 */
export function takeFreshCallId(toolCallId: string, usedIds: Set<string>): string {
  const base = toolCallId === '' ? 'call' : toolCallId;
  let id = base;
  for (let suffix = 2; usedIds.has(id); suffix += 1) id = `${base}_${suffix}`;
  usedIds.add(id);
  return id;
}
