// The valid pictures that are mutated: drawn ones of every kind, and the small ones of the case corpus.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { seededRandom } from './seeded-random.mjs';

const largestBytes = 12_000;

/** @returns {Promise<{format: string, bytes: Buffer}[]>} the same on every run */
export async function createSeeds(root) {
  const manifest = JSON.parse(readFileSync(join(root, 'fixtures/cases/manifest.json'), 'utf8'));
  const cases = manifest.cases
    .filter((row) => row.expect === 'accepted' && row.bytes <= largestBytes && row.width * row.height <= 100_000)
    .map((row) => ({
      format: row.expected_mime.slice('image/'.length),
      bytes: readFileSync(join(root, 'fixtures/cases', row.file)),
    }));
  return [...(await drawSeeds()), ...cases];
}

async function drawSeeds() {
  const drawn = [];
  const add = async (format, pipeline) => drawn.push({ format, bytes: await pipeline.toBuffer() });
  const color = picture(3);
  const alpha = picture(4);
  await add('png', color().png());
  await add('png', alpha().png({ adaptiveFiltering: true }));
  await add('png', color().png({ progressive: true }));
  await add('png', color().png({ palette: true, colours: 16 }));
  await add('png', alpha().png({ palette: true, colours: 8 }));
  await add('png', color().toColourspace('b-w').png());
  await add('png', alpha().toColourspace('rgb16').png());
  await add('png', color().withIccProfile('p3').withExif(owner).png());
  await add('jpeg', color().jpeg({ quality: 80 }));
  await add('jpeg', color().jpeg({ quality: 80, chromaSubsampling: '4:4:4' }));
  await add('jpeg', color().jpeg({ quality: 80, progressive: true }));
  await add('jpeg', color().toColourspace('b-w').jpeg());
  await add('jpeg', color().toColourspace('cmyk').jpeg());
  await add('jpeg', color().withMetadata({ orientation: 6 }).jpeg({ optimiseCoding: true }));
  await add('webp', color().webp({ quality: 70 }));
  await add('webp', alpha().webp({ quality: 70 }));
  await add('webp', color().webp({ lossless: true }));
  await add('webp', alpha().webp({ lossless: true }));
  await add('webp', color().withExif(owner).withIccProfile('p3').webp());
  await add('webp', frames().webp({ loop: 0, delay: [40, 40, 40] }));
  await add('gif', color().gif());
  await add('gif', alpha().gif());
  await add('gif', color().gif({ progressive: true }));
  await add('gif', frames().gif({ loop: 0, delay: [40, 40, 40] }));
  return drawn;
}

const owner = { IFD0: { Copyright: 'somebody' } };
const size = { width: 40, height: 28 };

/** Half flat, half noise: both kinds of compressed data. */
function picture(channels) {
  const random = seededRandom(channels);
  const pixels = Buffer.from(
    Array.from({ length: size.width * size.height * channels }, (_, at) =>
      at % (size.width * channels) < (size.width * channels) / 2 ? (at % channels) * 60 : Math.floor(random() * 256),
    ),
  );
  return () => sharp(pixels, { raw: { ...size, channels } });
}

function frames() {
  const random = seededRandom(9);
  const pixels = Buffer.from(Array.from({ length: 24 * 16 * 3 * 3 }, () => Math.floor(random() * 256)));
  return sharp(pixels, { raw: { width: 24, height: 48, channels: 3, pageHeight: 16 } });
}
