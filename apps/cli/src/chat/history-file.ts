import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseJson } from '@fovea/core/base';

/** Lines that are kept; twice as many may lie in the file until it is opened again. */
const MOST_LINES = 1000;
const LONGEST_LINE = 4096;

/**
 * What was typed, oldest first: one JSON string a line, readable by its owner only. Several
 * processes may add lines; a line that cannot be read is left out. A file that cannot be read is an
 * empty history: nobody's work depends on it.
 */
export async function readHistory(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const written = text.split('\n').filter((line) => line !== '');
  const lines = written.flatMap((line) => {
    const parsed = parseJson(line);
    return parsed.ok && typeof parsed.value === 'string' ? [parsed.value] : [];
  });
  const kept = lines.slice(-MOST_LINES);
  if (written.length > 2 * MOST_LINES) await rewrite(path, kept).catch(() => undefined);
  return kept;
}

/** A line that begins with a blank is not kept: for what shall not lie in a file. Never throws. */
export async function addToHistory(path: string, line: string): Promise<void> {
  if (line.trim() === '' || line.startsWith(' ') || line.length > LONGEST_LINE) return;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch {
    // A history that cannot be written is lost, the conversation is not.
  }
}

async function rewrite(path: string, lines: readonly string[]): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  await writeFile(part, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
  await rename(part, path);
}
