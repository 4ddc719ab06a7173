/**
 * The one of `names` that `name` was probably meant to be, if any is close: the same letters in
 * another case, or one slip of the pen for every three letters, at most two.
 */
export function findClosestName(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const allowed = Math.min(2, Math.ceil(name.length / 3));
  let closest: string | undefined;
  let fewest = allowed + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) > allowed) continue;
    const slips = countSlips(wanted, candidate.toLowerCase());
    if (slips < fewest) {
      closest = candidate;
      fewest = slips;
    }
  }
  return closest;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function countSlips(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      let slips = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
      );
      if (row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        slips = Math.min(slips, at(beforePrevious, column - 2) + 1);
      }
      current.push(slips);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
