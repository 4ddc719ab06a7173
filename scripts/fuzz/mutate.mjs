// Mutations of pictures: some blind, some that know how each format is built, so that damage reaches the decoders instead
// of being refused for a checksum.
import { deflateSync, inflateSync } from 'node:zlib';
import { joinBlocks, repair, splitBlocks } from './blocks.mjs';

const nastyBytes = [0, 1, 0x7f, 0x80, 0xfe, 0xff];
const nastyNumbers = [0, 1, 2, 255, 256, 0x7f_ff, 0x80_00, 0xff_ff, 0x7f_ff_ff_ff, 0x80_00_00_00, 0xff_ff_ff_ff];

/** One input: a valid picture after one to three mutations. */
export function mutate(seeds, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const chosen = pick(seeds);
  let bytes = Buffer.from(chosen.bytes);
  const rounds = 1 + Math.floor(random() * 3);
  for (let round = 0; round < rounds; round += 1) {
    const mutation = pick(mutations);
    bytes = mutation(bytes, { seeds, format: chosen.format, random, pick });
  }
  // Most mutations would only break a checksum or a length: then the decoder never sees them.
  return random() < 0.6 ? repair(bytes, chosen.format) : bytes;
}

const mutations = [
  flipBits,
  flipBits,
  setByte,
  setNumber,
  truncate,
  insertBytes,
  removeBytes,
  appendBytes,
  removeBlock,
  repeatBlock,
  swapBlocks,
  moveBlock,
  changeBlockLength,
  changeBlockData,
  changeBlockData,
  spliceBlocks,
  spliceBytes,
  changeHeader,
  changePngPixels,
];

function place(bytes, random) {
  return Math.floor(random() * bytes.length);
}

function flipBits(bytes, { random }) {
  const count = 1 + Math.floor(random() * 8);
  for (let round = 0; round < count && bytes.length > 0; round += 1) {
    bytes[place(bytes, random)] ^= 1 << Math.floor(random() * 8);
  }
  return bytes;
}

function setByte(bytes, { random, pick }) {
  if (bytes.length > 0) bytes[place(bytes, random)] = pick(nastyBytes);
  return bytes;
}

function setNumber(bytes, { random, pick }) {
  if (bytes.length < 8) return bytes;
  const at = Math.floor(random() * (bytes.length - 4));
  if (random() < 0.5) bytes.writeUInt32BE(pick(nastyNumbers), at);
  else bytes.writeUInt32LE(pick(nastyNumbers), at);
  return bytes;
}

function truncate(bytes, { random }) {
  return bytes.subarray(0, place(bytes, random));
}

function noise(length, random) {
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
}

function insertBytes(bytes, { random }) {
  const at = place(bytes, random);
  return Buffer.concat([bytes.subarray(0, at), noise(1 + Math.floor(random() * 16), random), bytes.subarray(at)]);
}

function removeBytes(bytes, { random }) {
  const at = place(bytes, random);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + Math.floor(random() * 16))]);
}

function appendBytes(bytes, { random }) {
  return Buffer.concat([bytes, noise(Math.floor(random() * 64), random)]);
}

/** Changes the list of blocks; bytes that are no such format stay as they are. */
function onBlocks(bytes, format, change) {
  const { head, blocks } = splitBlocks(bytes, format);
  return blocks.length === 0 ? bytes : joinBlocks(head, change(blocks));
}

function removeBlock(bytes, { format, random }) {
  return onBlocks(bytes, format, (blocks) => blocks.toSpliced(Math.floor(random() * blocks.length), 1));
}

function repeatBlock(bytes, { format, random, pick }) {
  return onBlocks(bytes, format, (blocks) => blocks.toSpliced(Math.floor(random() * blocks.length), 0, pick(blocks)));
}

function swapBlocks(bytes, { format, random }) {
  return onBlocks(bytes, format, (blocks) => {
    const one = Math.floor(random() * blocks.length);
    const other = Math.floor(random() * blocks.length);
    return blocks.with(one, blocks[other]).with(other, blocks[one]);
  });
}

function moveBlock(bytes, { format, random }) {
  return onBlocks(bytes, format, (blocks) => {
    const from = Math.floor(random() * blocks.length);
    return blocks.toSpliced(from, 1).toSpliced(Math.floor(random() * blocks.length), 0, blocks[from]);
  });
}

function changeBlockLength(bytes, { format, random, pick }) {
  return onBlocks(bytes, format, (blocks) => {
    const index = Math.floor(random() * blocks.length);
    const block = Buffer.from(blocks[index]);
    const at = { png: 0, jpeg: 2, webp: 4, gif: 2 }[format];
    if (block.length < at + 4) return blocks;
    if (format === 'png') block.writeUInt32BE(changeNumber(block.readUInt32BE(at), { random, pick }), at);
    else if (format === 'webp') block.writeUInt32LE(changeNumber(block.readUInt32LE(at), { random, pick }), at);
    else block.writeUInt16BE(changeNumber(block.readUInt16BE(at), { random, pick }) & 0xff_ff, at);
    return blocks.with(index, block);
  });
}

function changeNumber(value, { random, pick }) {
  const changed = random() < 0.5 ? value + pick([-2, -1, 1, 2, 8]) : pick(nastyNumbers);
  return changed >>> 0;
}

/** Damage inside one block, small blocks as often as large ones. */
function changeBlockData(bytes, { format, random, pick }) {
  return onBlocks(bytes, format, (blocks) => {
    const index = Math.floor(random() * blocks.length);
    const block = Buffer.from(blocks[index]);
    const header = { png: 8, jpeg: 4, webp: 8, gif: 1 }[format];
    if (block.length <= header) return blocks;
    const at = header + Math.floor(random() * (block.length - header));
    block[at] = random() < 0.5 ? block[at] ^ (1 << Math.floor(random() * 8)) : pick(nastyBytes);
    return blocks.with(index, block);
  });
}

/** Blocks of another file of the same format. */
function spliceBlocks(bytes, { seeds, format, random, pick }) {
  const other = pick(seeds.filter((seed) => seed.format === format));
  const foreign = splitBlocks(other.bytes, format).blocks;
  return onBlocks(bytes, format, (blocks) => {
    const cut = Math.floor(random() * (blocks.length + 1));
    if (random() < 0.5) return blocks.toSpliced(cut, 0, pick(foreign));
    return [...blocks.slice(0, cut), ...foreign.slice(Math.floor(random() * foreign.length))];
  });
}

/** The beginning of one file and the end of any other. */
function spliceBytes(bytes, { seeds, random, pick }) {
  const other = pick(seeds).bytes;
  return Buffer.concat([bytes.subarray(0, place(bytes, random)), other.subarray(place(other, random))]);
}

/** Width, height, depth, flags: the first bytes behind the signature. */
function changeHeader(bytes, { format, random, pick }) {
  const [start, length] = { png: [16, 13], jpeg: [2, 40], webp: [12, 30], gif: [6, 7] }[format];
  if (bytes.length < start + length) return bytes;
  const at = start + Math.floor(random() * length);
  bytes[at] = random() < 0.5 ? pick(nastyBytes) : Math.floor(random() * 64);
  return bytes;
}

/** Damage behind PNG's compression: filters, indices, one row too few or too many. */
function changePngPixels(bytes, { format, random, pick }) {
  if (format !== 'png') return flipBits(bytes, { random });
  return onBlocks(bytes, format, (blocks) => {
    const isPixels = (block) => block.toString('latin1', 4, 8) === 'IDAT';
    const first = blocks.findIndex(isPixels);
    if (first === -1) return blocks;
    let pixels;
    try {
      pixels = inflateSync(Buffer.concat(blocks.filter(isPixels).map((block) => block.subarray(8, -4))));
    } catch {
      return blocks;
    }
    const kind = random();
    if (kind < 0.2) pixels = pixels.subarray(0, place(pixels, random));
    else if (kind < 0.4) pixels = Buffer.concat([pixels, noise(1 + Math.floor(random() * 200), random)]);
    else pixels[place(pixels, random)] = pick([...nastyBytes, 2, 3, 4, 5]);
    const data = deflateSync(pixels);
    const block = Buffer.alloc(data.length + 12);
    block.writeUInt32BE(data.length, 0);
    block.write('IDAT', 4, 'latin1');
    data.copy(block, 8);
    return blocks.filter((candidate) => !isPixels(candidate)).toSpliced(first, 0, block);
  });
}
