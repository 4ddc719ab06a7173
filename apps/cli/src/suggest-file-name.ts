import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import type { FoveaEvent } from '@fovea/core/content';
import { findClosestName } from '@fovea/server';
import type { CliTexts } from './texts.ts';

/** The path of a file beside `path` whose name is close to it; for a path that was not found. */
export async function findNearFile(path: string, workspace: string): Promise<string | undefined> {
  const name = basename(path);
  const names = await readdir(dirname(resolve(workspace, path))).catch(() => []);
  const near = findClosestName(name, names);
  if (near === undefined || near === name || !path.endsWith(name)) return undefined;
  // An ending in common makes no names alike: `zz.png` does not mean `a.png`.
  if (findClosestName(stemOf(name), [stemOf(near)]) === undefined) return undefined;
  return `${path.slice(0, path.length - name.length)}${near}`;
}

function stemOf(name: string): string {
  return basename(name, extname(name));
}

/** A sentence that asks whether the near file was meant; empty when there is none. */
export async function nearFileHint(
  path: string,
  surroundings: { readonly workspace: string; readonly texts: CliTexts },
): Promise<string> {
  const near = await findNearFile(path, surroundings.workspace);
  return near === undefined ? '' : surroundings.texts.didYouMean(near);
}

/** The events with that sentence after each attachment that was not found. For people: JSON stays as it is. */
export async function* addFileHints(
  events: AsyncIterable<FoveaEvent>,
  surroundings: { readonly workspace: string; readonly texts: CliTexts },
): AsyncIterable<FoveaEvent> {
  for await (const event of events) {
    if (event.type !== 'turn-refused') {
      yield event;
      continue;
    }
    const items = event.items.map(async (item) =>
      item.code === 'NOT_FOUND'
        ? { ...item, message: item.message + (await nearFileHint(item.name, surroundings)) }
        : item,
    );
    yield { ...event, items: await Promise.all(items) };
  }
}
