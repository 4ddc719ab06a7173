import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../base/parse-json.ts';
import { findLimitRow } from '../catalog/limits.ts';
import { type DecodedPicture, decodePicture } from '../testing/strict-server/pictures/decode-picture.ts';
import { makeVariant } from './variant.ts';

const casesFolder = new URL('../../../../fixtures/cases/', import.meta.url);

interface Point {
  readonly x: number;
  readonly y: number;
  readonly rgba: readonly [number, number, number, number];
  readonly tol: number;
  readonly rgb_free?: boolean;
  readonly hue_only?: boolean;
}

interface AcceptedRow {
  readonly file: string;
  readonly expect: string;
  readonly width: number;
  readonly height: number;
  readonly points?: readonly Point[];
  readonly points_on_white?: readonly Point[];
  readonly forbidden_bytes_on_wire?: readonly string[];
}

const parsed = parseJson(readFileSync(new URL('manifest.json', casesFolder), 'utf8'));
if (!parsed.ok) throw new Error(parsed.error.message);
const accepted = (parsed.value as { cases: AcceptedRow[] }).cases.filter((row) => row.expect === 'accepted');

describe.each(['unknown', 'openai-chat', 'anthropic', 'zhipu', 'offline'])(
  'the wire variant for the row %s',
  (rowId) => {
    const limitRow = findLimitRow(rowId);
    if (limitRow === undefined) throw new Error(`no row ${rowId}`);

    it.each(accepted.map((row) => [row.file, row] as const))(
      'shows %s upright, in its true colours and without metadata',
      async (file, row) => {
        const original = readFileSync(new URL(file, casesFolder));
        const variant = await makeVariant(original, limitRow);
        const decoded = await decodePicture(variant.bytes);
        if (!decoded.ok) {
          // The independent decoder knows neither animations of WebP nor arithmetic coding; they pass the built-in reader.
          expect(rowId).toBe('offline');
          expect(variant.changes).toEqual(['none']);
          return;
        }
        expect(variant).toMatchObject({ widthPx: decoded.value.widthPx, heightPx: decoded.value.heightPx });
        expect(variant.widthPx / variant.heightPx).toBeCloseTo(row.width / row.height, variant.heightPx > 30 ? 1 : -5);
        const isJpeg = decoded.value.format === 'jpeg';
        const points = isJpeg ? (row.points_on_white ?? row.points) : row.points;
        for (const point of points ?? []) expectPoint(decoded.value, point, row);
        if (rowId === 'offline') return;
        expect(Math.max(variant.widthPx, variant.heightPx)).toBeLessThanOrEqual(1568);
        const text = Buffer.from(variant.bytes).toString('latin1');
        for (const forbidden of row.forbidden_bytes_on_wire ?? []) expect(text).not.toContain(forbidden);
        expect(text).not.toContain('Exif');
      },
    );
  },
);

function expectPoint(picture: DecodedPicture, point: Point, row: AcceptedRow): void {
  const x = Math.min(picture.widthPx - 1, Math.floor(((point.x + 0.5) * picture.widthPx) / row.width));
  const y = Math.min(picture.heightPx - 1, Math.floor(((point.y + 0.5) * picture.heightPx) / row.height));
  const at = (y * picture.widthPx + x) * 4;
  const found = [...picture.pixels.slice(at, at + 4)];
  const place = `at ${x},${y} of ${row.file}: ${found}`;
  expect(Math.abs((found[3] ?? 0) - point.rgba[3]), place).toBeLessThanOrEqual(point.tol);
  if (point.rgb_free === true) return;
  if (point.hue_only === true) {
    const leading = (color: readonly number[]) => color.indexOf(Math.max(...color.slice(0, 3)));
    expect(leading(found), place).toBe(leading(point.rgba));
    return;
  }
  for (const channel of [0, 1, 2] as const) {
    expect(Math.abs((found[channel] ?? 0) - point.rgba[channel]), place).toBeLessThanOrEqual(point.tol);
  }
}
