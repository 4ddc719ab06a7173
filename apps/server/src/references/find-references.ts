/** One `@path` of a text. */
export interface TypedReference {
  /** Where its `@` stands. */
  readonly index: number;
  /**
   * What could be meant, the longest first: what is behind a path without blanks may belong to the
   * sentence, above all in languages that put no blank between.
   */
  readonly candidates: readonly string[];
}

/** An `@` behind one of these is part of a word or a path: of an e-mail address, for instance. */
const REFERENCE = /(?<![\w.%+@/\\-])@(?=(?:"(?<quoted>[^"\n]{1,1024})"|(?<bare>[^\s"]{1,1024})))/gu;
/** Ends a sentence or closes a bracket, and does not belong to a path at its end. */
const TRAILING = /[.,;:!?)\]}>'`*，。、；：！？）】》」』”’…]+$/u;
/** Before these a path may end although no blank stands there. */
const BOUNDARY = /[，。、；：！？（）【】《》「」『』“”‘’…]|(?<=[\x21-\x7e])(?=\p{Script=Han})/gu;

/** So many endings of one path are tried, */
const MOST_CANDIDATES = 6;
/** and so many places of one text. */
const MOST_PLACES = 100;

/**
 * Every place of a text that could be an `@path`, in its order: `@path`, or `@"path with blanks"`.
 * Whether it is one is decided by what exists. Pure.
 */
export function findReferences(text: string): readonly TypedReference[] {
  const places: TypedReference[] = [];
  for (const { index, groups } of text.matchAll(REFERENCE)) {
    const { quoted, bare = '' } = groups ?? {};
    const candidates = quoted === undefined ? listCandidates(bare) : [quoted];
    if (candidates.length > 0) places.push({ index, candidates });
    if (places.length === MOST_PLACES) break;
  }
  return places;
}

function listCandidates(bare: string): readonly string[] {
  const ends = [...bare.matchAll(BOUNDARY)].map(({ index }) => index).reverse();
  const beginnings = [bare.length, ...ends].map((end) => bare.slice(0, end).replace(TRAILING, ''));
  return [...new Set(beginnings)].filter((path) => path !== '').slice(0, MOST_CANDIDATES);
}
