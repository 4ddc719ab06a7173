/** What of an item its order depends on. */
interface Placed {
  readonly id: string;
  readonly position: number;
}

/**
 * The items that change their position, with their new one, when `itemId` is put before `beforeItemId`,
 * or behind all; `undefined` when one of them is not among the items. The positions stay the same set.
 *
 * What is held (`position <= heldThrough`) stays held and what is not stays free: an item that is put
 * among those of the other kind comes to stand at the near end of its own.
 */
export function moveItem(
  items: readonly Placed[],
  {
    itemId,
    beforeItemId,
    heldThrough,
  }: { readonly itemId: string; readonly beforeItemId: string | undefined; readonly heldThrough: number },
): readonly Placed[] | undefined {
  const moved = items.find(({ id }) => id === itemId);
  if (moved === undefined) return undefined;
  if (beforeItemId === itemId) return [];
  const others = items.filter(({ id }) => id !== itemId);
  const wanted = beforeItemId === undefined ? others.length : others.findIndex(({ id }) => id === beforeItemId);
  if (wanted === -1) return undefined;
  const heldOthers = others.filter(({ position }) => position <= heldThrough).length;
  const place = moved.position <= heldThrough ? Math.min(wanted, heldOthers) : Math.max(wanted, heldOthers);
  return items.flatMap(({ position }, index) => {
    const item = others.toSpliced(place, 0, moved)[index];
    return item === undefined || item.position === position ? [] : [{ id: item.id, position }];
  });
}
