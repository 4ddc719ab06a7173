/**
 * How many pixels the LZW data of a GIF frame gives, from its minimum code size on; -1 when it
 * has a code that cannot stand there.
 *
 * omggif fills a frame whose data ends early with its first colour and only prints a warning; an
 * endpoint must refuse such a picture, so the number is counted here first.
 *
 * Source: GIF89a specification, appendix F (variable-length-code LZW compression).
 */
export function countGifPixels(bytes: Uint8Array, dataOffset: number): number {
  const minimumCodeSize = bytes[dataOffset] ?? 0;
  const clearCode = 1 << minimumCodeSize;
  const endCode = clearCode + 1;
  const lengths = new Uint16Array(4096).fill(1, 0, clearCode);
  let nextCode = endCode + 1;
  let codeSize = minimumCodeSize + 1;
  let previousLength = 0;
  let pixels = 0;

  const readCode = createCodeReader(bytes, dataOffset + 1);
  for (;;) {
    const code = readCode(codeSize);
    if (code === undefined || code === endCode) return pixels;
    if (code === clearCode) {
      lengths.fill(0, endCode);
      nextCode = endCode + 1;
      codeSize = minimumCodeSize + 1;
      previousLength = 0;
      continue;
    }
    const length = lengths[code] ?? 0;
    if (length === 0) return -1;
    pixels += length;
    if (previousLength > 0 && nextCode < 4096) {
      nextCode += 1;
      if (nextCode === 1 << codeSize && codeSize < 12) codeSize += 1;
    }
    // The first free code may already be used: it stands for these pixels and one more.
    lengths[nextCode] = length + 1;
    previousLength = length;
  }
}

/** Reads codes, lowest bit first, through the sub-blocks that start at `offset`. */
function createCodeReader(bytes: Uint8Array, offset: number): (codeSize: number) => number | undefined {
  let position = offset;
  let leftInBlock = 0;
  let bits = 0;
  let bitCount = 0;

  function readByte(): number | undefined {
    if (leftInBlock === 0) {
      leftInBlock = bytes[position] ?? 0;
      position += 1;
      if (leftInBlock === 0) return undefined;
    }
    leftInBlock -= 1;
    position += 1;
    return bytes[position - 1];
  }

  return (codeSize) => {
    while (bitCount < codeSize) {
      const byte = readByte();
      if (byte === undefined) return undefined;
      bits |= byte << bitCount;
      bitCount += 8;
    }
    const code = bits & ((1 << codeSize) - 1);
    bits >>>= codeSize;
    bitCount -= codeSize;
    return code;
  };
}
