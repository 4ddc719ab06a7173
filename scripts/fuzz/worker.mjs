// One process of fuzz-pictures.mjs: makes each input of a range, admits it, and compares with other decoders.

import { splitBlocks } from './blocks.mjs';
import { mutate } from './mutate.mjs';
import { seededRandom } from './seeded-random.mjs';
import { createSeeds } from './seeds.mjs';

const [, , compiled, root, seedText, fromText, toText] = process.argv;
const { verifyImage } = await import(`${compiled}/media/verify.js`);
const { makeVariant } = await import(`${compiled}/media/variant.js`);
const { findLimitRow } = await import(`${compiled}/catalog/limits.js`);
const { decodePicture } = await import(`${compiled}/testing/strict-server/pictures/decode-picture.js`);

const limits = { maxBytes: 2 ** 20, maxPixels: 4_000_000, maxFrames: 10_000 };
/** One row that takes few formats and one that takes all of them. */
const rows = ['unknown', 'openai-chat'].map(findLimitRow);
const expectedRefusals = new Set([
  'CORRUPT',
  'NOT_AN_IMAGE',
  'UNSUPPORTED_FORMAT',
  'TOO_MANY_PIXELS',
  'TOO_MANY_FRAMES',
  'EMPTY',
]);
const seeds = await createSeeds(root);
const from = Number(fromText);
const to = Number(toText);
let accepted = 0;
let slowestMs = 0;

for (let index = from; index < to; index += 1) {
  const random = seededRandom(Number(seedText) * 1_000_003 + index);
  const bytes = mutate(seeds, random);
  send({ type: 'phase', index, phase: 'admission' });
  const { facts, problem } = await admit(bytes);
  if (problem !== undefined) tell(index, bytes, { kind: problem.kind, format: '', detail: problem.detail });
  if (facts !== undefined) {
    accepted += 1;
    send({ type: 'phase', index, phase: 'comparison' });
    await compare(index, bytes, facts);
  }
}
send({
  type: 'progress',
  inputs: to - from,
  accepted,
  slowestMs,
  maxRssMb: process.resourceUsage().maxRSS / 1024,
});
send({ type: 'done' });
process.disconnect();

function send(message) {
  process.send(message);
}

function tell(index, bytes, finding) {
  send({ type: 'finding', finding: { ...finding, index, bytes: Buffer.from(bytes).toString('base64') } });
}

async function admit(bytes) {
  const startedAt = performance.now();
  try {
    const result = await verifyImage(bytes, { name: 'input', limits });
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    if (result.ok) return { facts: result.value };
    const { code } = result.error;
    return expectedRefusals.has(code) ? {} : { problem: { kind: 'refusal', detail: code } };
  } catch (error) {
    return { problem: { kind: 'thrown', detail: firstLine(error) } };
  }
}

async function compare(index, bytes, facts) {
  const format = kindOf(bytes, facts);
  const other = await decodePicture(bytes);
  if (!other.ok) {
    tell(index, bytes, { kind: 'accepted here, refused there', format, detail: withoutFigures(other.error) });
  } else {
    const ours = [facts.widthPx, facts.heightPx].sort().join(' x ');
    const theirs = [other.value.widthPx, other.value.heightPx].sort().join(' x ');
    if (ours !== theirs) tell(index, bytes, { kind: 'another size', format, detail: 'width or height' });
  }
  for (const row of rows) await compareVariant(index, bytes, { format, row });
}

/** What decoders treat alike. */
function kindOf(bytes, { mediaType, frames }) {
  const format = mediaType.slice('image/'.length);
  if (frames > 1) return `${format} animation`;
  const isProgressive = splitBlocks(Buffer.from(bytes), 'jpeg').blocks.some((block) => block[1] === 0xc2);
  return format === 'jpeg' && isProgressive ? 'progressive jpeg' : format;
}

async function compareVariant(index, bytes, { format, row }) {
  const startedAt = performance.now();
  let variant;
  try {
    variant = await makeVariant(bytes, row);
  } catch (error) {
    tell(index, bytes, { kind: 'no variant', format, detail: withoutFigures(firstLine(error)) });
    return;
  }
  slowestMs = Math.max(slowestMs, performance.now() - startedAt);
  const other = await decodePicture(variant.bytes);
  const on = `${row.id}, ${variant.changes.join(' ')}`;
  if (!other.ok) {
    tell(index, bytes, { kind: 'variant refused there', format, detail: `${on}: ${withoutFigures(other.error)}` });
  } else if (other.value.widthPx !== variant.widthPx || other.value.heightPx !== variant.heightPx) {
    tell(index, bytes, { kind: 'variant of another size', format, detail: on });
  }
}

function firstLine(error) {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0].slice(0, 120);
}

/** One kind of message, however many figures it names. */
function withoutFigures(message) {
  return message
    .split('\n')[0]
    .replace('frame 0', 'the first frame')
    .replaceAll(/0x[0-9a-f]+|\b[0-9a-f]{4,}\b|\d+/gi, 'N')
    .slice(0, 120);
}
