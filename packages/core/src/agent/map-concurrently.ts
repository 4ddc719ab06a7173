/**
 * Applies `work` to every item, at most `limit` at once, and gives the results in the items' order.
 * After the first rejection nothing new is started, and that rejection is passed on.
 */
export async function mapConcurrently<Item, Value extends object>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Value>,
): Promise<readonly Value[]> {
  const results = new Map<number, Value>();
  const entries = items.entries();
  let hasFailed = false;
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of entries) {
      if (hasFailed) return;
      try {
        results.set(index, await work(item));
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, takeTurns));
  return items.flatMap((_, index) => {
    const value = results.get(index);
    return value === undefined ? [] : [value];
  });
}
