import { stripVTControlCharacters } from 'node:util';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

// Marks that reorder or hide text on screen, so that what is read is not what was written.
const DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text of a model, tool or file name as it may be shown in a terminal: without escape sequences
 * and control characters, which could move the cursor, set the window title or fake a prompt.
 * Tabs and line feeds stay.
 */
export function sanitizeForTerminal(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(CONTROL, '').replace(DIRECTION, '');
}

/** A file name or another text that must not leave its line, where a line of its own would be believed. */
export function sanitizeLine(text: string): string {
  return sanitizeForTerminal(text).replace(/[\n\t\u2028\u2029]+/g, ' ');
}
