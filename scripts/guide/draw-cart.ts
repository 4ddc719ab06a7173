import sharp from 'sharp';

const rows = [
  ['Mug', '2 x $12.50', '$25.00'],
  ['Postcard', '1 x $4.99', '$4.99'],
] as const;

/** The screenshot of the failing page: prices that are right, and a total that is ten times too large. */
export function drawCart(): Promise<Buffer> {
  const lines = rows.map(([name, count, price], index) => {
    const y = 150 + index * 48;
    return `${text(60, y, name)}${text(300, y, count)}${text(560, y, price)}`;
  });
  const body = [
    '<rect width="720" height="64" fill="#24456b"/>',
    text(60, 42, 'Your cart', '#ffffff', 24),
    ...lines,
    '<rect x="48" y="236" width="624" height="2" fill="#c0c4cc"/>',
    '<rect x="48" y="252" width="624" height="56" fill="#fbe3e1"/>',
    text(60, 288, 'Total', '#a4161a', 24),
    text(540, 288, '$299.90', '#a4161a', 24),
  ];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="720" height="360"><rect width="100%" height="100%" fill="#ffffff"/>${body.join('')}</svg>`;
  return sharp(Buffer.from(svg)).png({ palette: true, colours: 64 }).toBuffer();
}

function text(x: number, y: number, words: string, color = '#202124', size = 20): string {
  return `<text x="${x}" y="${y}" font-family="DejaVu Sans" font-size="${size}" fill="${color}">${words}</text>`;
}
