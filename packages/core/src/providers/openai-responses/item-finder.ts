import type { ResponsesItem } from './wire-schema.ts';

/** The types of items that matter here. */
export type ItemKind = ResponsesItem['type'];

/** What is known of one item of an answer that is still coming. */
export interface OpenItem {
  readonly kind: ItemKind;
  /** Its place in the answer. */
  readonly place: number;
  /** What was told of each text, by kind and number. */
  readonly texts: Map<string, string>;
  call: { id: string; name: string; arguments: string } | undefined;
  /** Of a thought that stands behind a call. */
  opaque: string | undefined;
  isWhole: boolean;
}

/** What an event says of the item that it belongs to. */
export interface ItemHint {
  readonly kind: ItemKind;
  readonly id?: string | null | undefined;
  readonly outputIndex?: number | null | undefined;
  readonly callId?: string | null | undefined;
}

/** Finds the item that an event belongs to, and makes those that are new. */
export interface ItemFinder {
  readonly items: readonly OpenItem[];
  find(hint: ItemHint): OpenItem;
  findGiven(given: ResponsesItem, outputIndex: number | undefined): OpenItem;
}

/**
 * Events name their item by its id and its place. Some servers change the id from event to event, and
 * some give every item the same place: an item is another one when its kind or its `call_id` is.
 */
export function createItemFinder(): ItemFinder {
  const items: OpenItem[] = [];
  const byId = new Map<string, OpenItem>();
  const byPlace = new Map<number, OpenItem>();

  function findKnown({ kind, id, outputIndex, callId }: ItemHint): OpenItem | undefined {
    const isSame = (item: OpenItem | undefined): item is OpenItem =>
      item?.kind === kind && !isOtherCall(item, callId ?? '');
    const named = callId ? items.find((item) => item.call?.id === callId) : undefined;
    const isNameless = !id && typeof outputIndex !== 'number';
    const candidates = [
      named,
      byId.get(id ?? ''),
      byPlace.get(outputIndex ?? -1),
      isNameless ? items.at(-1) : undefined,
    ];
    return candidates.find(isSame);
  }

  function find(hint: ItemHint): OpenItem {
    const { kind, id, outputIndex } = hint;
    let item = findKnown(hint);
    if (item === undefined) {
      const place = outputIndex ?? items.length;
      item = { kind, place, texts: new Map(), call: undefined, opaque: undefined, isWhole: false };
      items.push(item);
    }
    if (id) byId.set(id, item);
    if (typeof outputIndex === 'number') byPlace.set(outputIndex, item);
    return item;
  }

  return {
    items,
    find,
    findGiven: (given, outputIndex) => find({ kind: given.type, id: given.id, outputIndex, callId: given.call_id }),
  };
}

function isOtherCall({ call }: OpenItem, callId: string): boolean {
  return callId !== '' && call !== undefined && call.id !== '' && call.id !== callId;
}
