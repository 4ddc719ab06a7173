import { assertNever, type Locale } from '@fovea/core/base';
import type { ListedQueueItem, QueueSnapshot, UserPicture } from '@fovea/core/content';
import { queueTexts } from './queue-texts.ts';
import { cutToWidth } from './render/cut-to-width.ts';
import { sanitizeForTerminal } from './render/sanitize.ts';

const LONGEST_COLUMNS = 100;

/** The items that do not run: their place here, from 1, is the number by which people name them. */
export function waitingItems({ items }: Pick<QueueSnapshot, 'items'>): readonly ListedQueueItem[] {
  return items.filter(({ state }) => state !== 'running');
}

/** What waits, a line each: number, pictures, first words, and what keeps it from running. */
export function queueLines(
  queue: QueueSnapshot,
  {
    locale,
    describe = describeItem,
  }: { readonly locale: Locale; readonly describe?: (item: ListedQueueItem) => string },
): readonly string[] {
  const texts = queueTexts(locale);
  const running = queue.items.filter(({ state }) => state === 'running');
  const waiting = waitingItems(queue);
  const width = String(waiting.length).length;
  return [
    ...running.map((item) => `${'▸'.padStart(width)}  ${cut(describe(item))} (${texts.running})`),
    ...waiting.map((item, index) => {
      const states = stateWords(item, { queue, index, locale });
      const mark = states.length === 0 ? '' : ` (${sanitizeForTerminal(states.join('; '))})`;
      return `${String(index + 1).padStart(width)}  ${item.isUnreadable ? texts.unreadable : cut(describe(item))}${mark}`;
    }),
  ];
}

/** Why items wait until the user goes on; absent where none does. */
export function heldLine({ held }: QueueSnapshot, locale: Locale): string | undefined {
  if (held === undefined || held.count === 0) return undefined;
  const texts = queueTexts(locale);
  const [before, after] = locale === 'en' ? [': ', '.'] : [':', '。'];
  return `${texts.heldCount(held.count)}${before}${texts.heldBecause[held.because]}${after}`;
}

/** An item in one line: its pictures, then the first words of its text. */
export function describeItem({ text, imageInputs }: Pick<ListedQueueItem, 'text' | 'imageInputs'>): string {
  const pictures = imageInputs.map((input) => `[${nameOf(input)}] `).join('');
  return `${pictures}${text}`;
}

function stateWords(
  item: ListedQueueItem,
  place: { readonly queue: QueueSnapshot; readonly index: number; readonly locale: Locale },
): readonly string[] {
  const texts = queueTexts(place.locale);
  const intent = item.intent === 'steer' ? [texts.steer] : [];
  switch (item.state) {
    case 'queued':
      return isHeld(item, place.queue) ? [...intent, texts.held] : intent;
    case 'blocked':
      return [...intent, texts.blocked(item.error?.message ?? '')];
    case 'uncertain':
      return [...intent, texts.uncertain];
    case 'running':
    case 'done':
      return intent;
    default:
      return assertNever(item.state);
  }
}

/** The first of the items that wait are held, as many as the snapshot says. */
export function isHeld(item: ListedQueueItem, { items, held, access }: QueueSnapshot): boolean {
  if (access === 'read-only') return true;
  const queued = items.filter(({ state }) => state === 'queued');
  return queued.indexOf(item) < (held?.count ?? 0);
}

/** The queue as JSON that is printed: pictures of old items hold their bytes themselves, and no output carries them. */
export function toPrintableQueue(queue: QueueSnapshot): unknown {
  const items = queue.items.map((item) => ({
    ...item,
    imageInputs: item.imageInputs.map((input) => ('dataUri' in input ? { dataUri: '' } : input)),
  }));
  return { ...queue, items };
}

function nameOf(input: UserPicture): string {
  if ('dataUri' in input) return 'data URI';
  if ('url' in input) return input.url;
  return 'file' in input ? input.file.id : input.attachment.name;
}

function cut(text: string): string {
  return cutToWidth(sanitizeForTerminal(text).replace(/\s+/g, ' ').trim(), LONGEST_COLUMNS);
}
