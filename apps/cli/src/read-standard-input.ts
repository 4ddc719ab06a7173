import { fstatSync } from 'node:fs';
import { formatBytes, MIB } from '@fovea/core/base';
import { kindName } from '@fovea/core/content';
import type { CommandContext } from './command-context.ts';
import { usageError } from './usage-error.ts';

const LIMIT_BYTES = 4 * MIB;
const QUIET_MS = 2000;

/** The text of standard input when it is a pipe, file or socket; empty for a terminal or none. */
export async function readStandardInput(context: CommandContext): Promise<string> {
  if (process.stdin.isTTY || !isReadable()) return '';
  const notice = setTimeout(() => process.stderr.write(`${context.texts.readingInput}\n`), QUIET_MS);
  try {
    const bytes = await collect(context);
    return await decode(bytes, context);
  } finally {
    clearTimeout(notice);
  }
}

function isReadable(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isFile() || stats.isSocket();
  } catch {
    return false;
  }
}

async function collect(context: CommandContext): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of process.stdin) {
    context.signal.throwIfAborted();
    const bytes = Buffer.from(chunk);
    sizeBytes += bytes.length;
    if (sizeBytes > LIMIT_BYTES) throw usageError(context.texts.inputTooLarge(formatBytes(LIMIT_BYTES)));
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

async function decode(bytes: Uint8Array, context: CommandContext): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const { sniffContent } = await import('@fovea/core/media');
    const { mediaType, isText } = await sniffContent(bytes);
    if (isText) throw usageError(context.texts.inputNotText(context.texts.otherEncoding));
    const kind = mediaType === undefined ? context.texts.binaryData : kindName(mediaType, context.locale);
    throw usageError(context.texts.inputNotText(kind));
  }
}
