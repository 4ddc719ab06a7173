import stringWidth from 'string-width';

/** One line of at most `widthColumns` columns; what was cut away is marked with `…`. No escape sequences. */
export function cutToWidth(line: string, widthColumns: number): string {
  if (stringWidth(line) <= widthColumns) return line;
  let cut = '';
  let columns = 1;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    columns += stringWidth(segment);
    if (columns > widthColumns) break;
    cut += segment;
  }
  return `${cut}…`;
}
