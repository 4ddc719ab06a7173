import type { Message } from '@fovea/core/content';
import type { Fovea } from '@fovea/server';

const PAGE_MESSAGES = 100;

/** The messages of a session, oldest first, page by page: never more than two pages are held. */
export async function* readSessionPages(fovea: Fovea, sessionId: string): AsyncGenerator<readonly Message[]> {
  for (const before of (await findPageEnds(fovea, sessionId)).reverse()) {
    yield await loadPage(fovea, sessionId, before);
  }
}

/** Pages are cut from the newest message on: where each one ends, the newest page first. */
async function findPageEnds(fovea: Fovea, sessionId: string): Promise<(string | undefined)[]> {
  const ends: (string | undefined)[] = [undefined];
  for (;;) {
    const page = await loadPage(fovea, sessionId, ends.at(-1));
    const first = page[0];
    if (first === undefined || page.length < PAGE_MESSAGES) return ends;
    ends.push(first.id);
  }
}

function loadPage(fovea: Fovea, sessionId: string, before: string | undefined): Promise<readonly Message[]> {
  return fovea.loadMessages(sessionId, { limit: PAGE_MESSAGES, ...(before === undefined ? {} : { before }) });
}
