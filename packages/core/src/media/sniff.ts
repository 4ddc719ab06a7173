import { parseJson } from '../base/parse-json.ts';
import { KIB, MIB } from '../base/units.ts';
import { findImageFormat } from './formats.ts';
import type { ImageFormat } from './image-layout.ts';
import { readTag } from './read-integer.ts';

/** What the bytes of a file are, whatever its name says. */
export interface SniffedContent {
  /** Set for the formats that Fovea takes. */
  readonly format?: ImageFormat;
  /** IANA name, or `undefined` for unknown bytes. */
  readonly mediaType: string | undefined;
  /** Whether the content is text that people can read. SVG, HTML and JSON are. */
  readonly isText: boolean;
  /** A text that stands for a picture which is elsewhere. */
  readonly note?: 'git-lfs-pointer';
}

/** As much as decides between text and other bytes. */
const TEXT_SAMPLE_BYTES = 64 * KIB;
/** As much as the recognition of foreign formats may look at. */
const FOREIGN_SAMPLE_BYTES = 256 * KIB;
const JSON_LIMIT_BYTES = MIB;

/**
 * Says what a file is, from its bytes: first the formats that Fovea takes, then text and what
 * kind of text, then foreign formats by name. Never decodes.
 *
 * Source: PNG third edition section 5.2; T.81 annex B; GIF89a section 17; WebP container
 * specification; foreign formats: file-type 21.3.
 */
export async function sniffContent(bytes: Uint8Array): Promise<SniffedContent> {
  const row = findImageFormat(bytes);
  if (row !== undefined) return { format: row.format, mediaType: row.mediaType, isText: false };
  // Before the test for text, because a PDF may be nothing but ASCII.
  if (readTag(bytes, 0, 5) === '%PDF-') return { mediaType: 'application/pdf', isText: false };
  const text = readTextStart(bytes);
  if (text !== undefined) return describeText(text, bytes);
  return { mediaType: await nameForeignFormat(bytes), isText: false };
}

/** The beginning of a text, or `undefined` when the bytes are no text. */
function readTextStart(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined;
  const sample = bytes.subarray(0, TEXT_SAMPLE_BYTES);
  const encoding = encodingOf(sample);
  try {
    // With `stream`, a character that the sample cuts is no error.
    const text = new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: bytes.length > sample.length });
    return hasControlCharacters(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/** Control characters that occur in no text: all but tab, line breaks, form feed and escape. */
function hasControlCharacters(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x7f) return true;
    if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0c && code !== 0x0d && code !== 0x1b) return true;
  }
  return false;
}

function describeText(text: string, bytes: Uint8Array): SniffedContent {
  const start = text.trimStart();
  if (start.startsWith('version https://git-lfs.github.com/spec/')) {
    return { mediaType: 'text/plain', isText: true, note: 'git-lfs-pointer' };
  }
  const element = firstElement(start);
  if (element === 'svg') return { mediaType: 'image/svg+xml', isText: true };
  if (element === 'html' || element === '!doctype html') return { mediaType: 'text/html', isText: true };
  if (isJson(start, bytes)) return { mediaType: 'application/json', isText: true };
  return { mediaType: 'text/plain', isText: true };
}

/**
 * The first element of a markup text in lower case, behind declarations and comments; `html` for
 * the elements that HTML pages without `<html>` begin with.
 */
function firstElement(text: string): string | undefined {
  let rest = text;
  for (;;) {
    const skipped = /^(?:<\?[^>]*\?>|<!--[\s\S]*?-->|<!doctype\s+svg[^>[]*(?:\[[^\]]*\])?[^>]*>)\s*/i.exec(rest);
    if (skipped === null) break;
    rest = rest.slice(skipped[0].length);
  }
  if (/^<!doctype\s+html/i.test(rest)) return '!doctype html';
  const name = /^<([a-z][a-z0-9:]*)[\s/>]/i.exec(rest)?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  if (name === 'svg' || name === 'svg:svg') return 'svg';
  return htmlStarts.has(name) ? 'html' : name;
}

const htmlStarts: ReadonlySet<string> = new Set(['html', 'head', 'body', 'title', 'meta', 'script', 'div', 'p', 'h1']);

function isJson(start: string, bytes: Uint8Array): boolean {
  if (!/^[[{]/.test(start) || bytes.length > JSON_LIMIT_BYTES) return false;
  return parseJson(new TextDecoder().decode(bytes)).ok;
}

/** The IANA name of a format that Fovea knows but does not take. */
async function nameForeignFormat(bytes: Uint8Array): Promise<string | undefined> {
  if (readTag(bytes, 0, 8) === '\u008aMNG\r\n\u001a\n') return 'video/x-mng';
  if (readTag(bytes, 0, 8) === '\u008bJNG\r\n\u001a\n') return 'image/x-jng';
  const { fileTypeFromBuffer } = await import('file-type');
  try {
    const found = await fileTypeFromBuffer(bytes.subarray(0, FOREIGN_SAMPLE_BYTES));
    // What is left of our own formats here has something before its signature: it is none of them.
    if (found === undefined || ownMediaTypes.has(found.mime)) return undefined;
    return found.mime;
  } catch {
    // The recogniser stumbles over some cut files.
    return undefined;
  }
}

const ownMediaTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/webp',
  'image/gif',
]);

const officeTypes =
  /^application\/(?:pdf|msword|rtf|vnd\.(?:ms-|openxmlformats-officedocument|oasis\.opendocument)|x-cfb)/;

/**
 * Whether a recognised type is a picture, a video, a sound, a PDF or an office document: something
 * that a person may have meant as a picture, and that is refused as `UNSUPPORTED_FORMAT`.
 */
export function isForeignMedia(mediaType: string | undefined): boolean {
  if (mediaType === undefined) return false;
  return /^(?:image|video|audio)\//.test(mediaType) || officeTypes.test(mediaType);
}
