const LEAST_SIMILARITY = 0.6;

/**
 * The name of `names` that `wanted` was probably meant to be: of one that ends with it
 * (`my shot.png` for `shot.png`) or is similar to it, the most similar.
 */
export function suggestName(wanted: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let most = 0;
  for (const name of names) {
    const isLonger = name.toLowerCase().endsWith(wanted.toLowerCase());
    const similarity = Math.max(compareNames(wanted, name), isLonger ? LEAST_SIMILARITY : 0);
    if (similarity < LEAST_SIMILARITY || similarity <= most) continue;
    best = name;
    most = similarity;
  }
  return best;
}

/** From 0 to 1: the share of signs and neighbours that both have, extensions, case and separators aside. */
function compareNames(one: string, other: string): number {
  const features = featuresOf(one);
  const left = featuresOf(other);
  const total = features.length + left.length;
  let common = 0;
  for (const feature of features) {
    const index = left.indexOf(feature);
    if (index < 0) continue;
    left.splice(index, 1);
    common += 1;
  }
  return (common * 2) / total;
}

function featuresOf(name: string): string[] {
  const signs = [
    ...name
      .normalize('NFKC')
      .toLowerCase()
      .replace(/\.[^.]*$/, '')
      .replace(/[\s_.-]+/g, ''),
  ];
  return [...signs, ...['', ...signs].map((sign, index) => `${sign},${signs[index] ?? ''}`)];
}
