// How the four formats are cut into blocks and put together again. Tolerant: what is no block ends the list as a last one.
import { crc32 } from './crc32.mjs';

const splitters = { png: splitPng, jpeg: splitJpeg, webp: splitWebp, gif: splitGif };

/** @returns {{head: Buffer, blocks: Buffer[]}} together the same bytes */
export function splitBlocks(bytes, format) {
  const { headEnd, ends } = splitters[format](bytes);
  const head = bytes.subarray(0, headEnd);
  const blocks = [];
  let at = headEnd;
  for (const end of [...ends, bytes.length]) {
    if (end > at) blocks.push(bytes.subarray(at, end));
    at = Math.max(at, end);
  }
  return { head, blocks };
}

export function joinBlocks(head, blocks) {
  return Buffer.concat([head, ...blocks]);
}

function splitPng(bytes) {
  const ends = [];
  for (let at = 8; at + 12 <= bytes.length; ) {
    at += bytes.readUInt32BE(at) + 12;
    if (at > bytes.length) break;
    ends.push(at);
  }
  return { headEnd: Math.min(8, bytes.length), ends };
}

function splitJpeg(bytes) {
  const ends = [];
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1];
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker === 0xda) {
      while (at + 1 < bytes.length && !(bytes[at] === 0xff && bytes[at + 1] !== 0 && (bytes[at + 1] & 0xf8) !== 0xd0))
        at += 1;
    }
    if (at > bytes.length) break;
    ends.push(at);
  }
  return { headEnd: Math.min(2, bytes.length), ends };
}

function splitWebp(bytes) {
  const ends = [];
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length & 1);
    if (at > bytes.length) break;
    ends.push(at);
  }
  return { headEnd: Math.min(12, bytes.length), ends };
}

function splitGif(bytes) {
  if (bytes.length < 14) return { headEnd: bytes.length, ends: [] };
  const table = (flags) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  const headEnd = Math.min(bytes.length, 13 + table(bytes[10]));
  const ends = [];
  for (let at = headEnd; at < bytes.length; ) {
    const kind = bytes[at];
    if (kind === 0x2c) at += 11 + table(bytes[at + 9] ?? 0);
    else if (kind === 0x21) at += 2;
    else break;
    while (at < bytes.length && bytes[at] !== 0) at += bytes[at] + 1;
    at += 1;
    if (at > bytes.length) break;
    ends.push(at);
  }
  return { headEnd, ends };
}

/** Checksums of PNG and the announced size of WebP as they would be, so that other damage is not hidden. */
export function repair(bytes, format) {
  const repaired = Buffer.from(bytes);
  if (format === 'webp' && repaired.length >= 12) repaired.writeUInt32LE(repaired.length - 8, 4);
  if (format !== 'png') return repaired;
  for (let at = 8; at + 12 <= repaired.length; ) {
    const end = at + repaired.readUInt32BE(at) + 12;
    if (end > repaired.length) break;
    repaired.writeUInt32BE(crc32(repaired.subarray(at + 4, end - 4)), end - 4);
    at = end;
  }
  return repaired;
}
