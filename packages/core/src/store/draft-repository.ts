import type { Digest } from '../base/ids.ts';
import { addEdges } from './content-graph.ts';
import type { Database, Writer } from './database.ts';
import { requireSession } from './session-repository.ts';

/** So long drafts and unsent uploads hold their pictures: seven days. */
export const DRAFT_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The pictures of what was not sent yet: drafts and uploads. Every method is one transaction, and
 * throws `SESSION_NOT_FOUND`, `STORE_UNAVAILABLE`.
 */
export class DraftRepository {
  readonly #database: Database;
  readonly #owner: string;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
  }

  /**
   * The draft holds these pictures, whose bytes are stored already, and none of those that it held
   * before, until `expiresAt` (ISO-8601).
   */
  async keepDraft(
    sessionId: string,
    draftId: string,
    { digests, expiresAt }: { readonly digests: readonly Digest[]; readonly expiresAt: string },
  ): Promise<void> {
    const session = { id: sessionId, owner: this.#owner };
    await this.#database.write(async (writer) => {
      await requireSession(writer, session);
      await this.#deleteEdges(writer, sessionId, draftId);
      const edges = [...new Set(digests)].map((digest) => ({ kind: 'draft', sourceId: draftId, digest }) as const);
      await addEdges(writer, session, edges, expiresAt);
    });
  }

  /** The draft was sent or thrown away. Called again, it changes nothing. */
  async dropDraft(sessionId: string, draftId: string): Promise<void> {
    await this.#database.write((writer) => this.#deleteEdges(writer, sessionId, draftId));
  }

  async #deleteEdges(writer: Writer, sessionId: string, draftId: string): Promise<void> {
    await writer
      .deleteFrom('content_edges')
      .where('session_id', '=', sessionId)
      .where('owner', '=', this.#owner)
      .where('kind', '=', 'draft')
      .where('source_id', '=', draftId)
      .execute();
  }
}
