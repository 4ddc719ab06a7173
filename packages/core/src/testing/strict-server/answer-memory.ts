/**
 * What answers gave that must come back unaltered: signed thoughts, encrypted items. Each is kept by
 * what it belongs to, the id of a tool call or an item for instance, as digests in their order.
 */
export interface AnswerMemory {
  keep(owner: string, digests: readonly string[]): void;
  /** `undefined` for an owner that no answer of this server named. */
  find(owner: string): readonly string[] | undefined;
}

export function createAnswerMemory(): AnswerMemory {
  const kept = new Map<string, readonly string[]>();
  return {
    keep: (owner, digests) => {
      kept.set(owner, digests);
    },
    find: (owner) => kept.get(owner),
  };
}
