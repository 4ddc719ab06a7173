import type { ExpressionBuilder } from 'kysely';
import { assertNever } from '../base/assert-never.ts';
import type { Digest } from '../base/ids.ts';
import type { Message } from '../content/messages.ts';
import type { DatabaseKind } from './codec.ts';
import type { Database, Writer } from './database.ts';
import { databaseNowIso } from './database-now.ts';
import type { ContentEdgeRow, EdgeKind, Tables } from './tables.ts';

/** One reason why a session reaches some bytes. */
export interface ContentEdge {
  readonly kind: EdgeKind;
  /**
   * What the edge comes from: the id of the message, queue item, draft or archive; for a variant the
   * original's digest; for a file change its turn's id.
   */
  readonly sourceId: string;
  readonly digest: Digest;
}

/** What `attachment:<hexadecimal digits>` means in one session. */
export type ResolvedReference =
  | { readonly kind: 'found'; readonly digest: Digest }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Digest[] }
  | { readonly kind: 'none' };

const REFERENCE_PATTERN = /^[0-9a-f]{12,64}$/;
const MOST_CANDIDATES = 5;
/** Below every database's limit of parameters in one statement. */
const EDGES_A_STATEMENT = 500;

/**
 * The rule "who may read these bytes": whoever has access to a session may read what an edge of
 * that session leads to, and nothing else. Knowing a digest gives no right. An edge whose time is over
 * gives none either, by the database's clock.
 *
 * Edges are added in the transaction that stores what they come from. They are also the only roots
 * when garbage is collected.
 */
export class ContentGraph {
  readonly #database: Database;
  readonly #owner: string;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
  }

  /** Whether the session belongs to the owner and reaches the bytes. Throws `STORE_UNAVAILABLE`. */
  async canRead(sessionId: string, digest: Digest): Promise<boolean> {
    const row = await this.#database.read((reader) =>
      reader
        .selectFrom('content_edges')
        .select('digest')
        .where('session_id', '=', sessionId)
        .where('digest', '=', digest)
        .where('owner', '=', this.#owner)
        .where(isInForce(this.#database.kind))
        .limit(1)
        .executeTakeFirst(),
    );
    return row !== undefined;
  }

  /**
   * The picture of the session's messages whose digest begins with `hexPrefix`: 12 to 64 lower-case
   * hexadecimal digits, as a model is shown them. Variants, what files were before a change, drafts
   * and what waits in the queue are not meant: no model was shown their digests. Throws
   * `STORE_UNAVAILABLE`.
   */
  async resolveReference(sessionId: string, hexPrefix: string): Promise<ResolvedReference> {
    if (!REFERENCE_PATTERN.test(hexPrefix)) return { kind: 'none' };
    const rows = await this.#database.read((reader) =>
      reader
        .selectFrom('content_edges')
        .select('digest')
        .distinct()
        .where('session_id', '=', sessionId)
        .where('owner', '=', this.#owner)
        .where('kind', '=', 'message')
        .where('digest', 'like', `sha256:${hexPrefix}%`)
        .orderBy('digest')
        .limit(MOST_CANDIDATES)
        .execute(),
    );
    const [first, second] = rows;
    if (first === undefined) return { kind: 'none' };
    if (second === undefined) return { kind: 'found', digest: first.digest };
    return { kind: 'ambiguous', candidates: rows.map((row) => row.digest) };
  }
}

/** The edges of a message: one for each stored picture that it holds. */
export function edgesOfMessage(message: Message): readonly ContentEdge[] {
  return digestsOfMessage(message).map((digest) => ({ kind: 'message', sourceId: message.id, digest }));
}

/** Whether an edge still leads anywhere; to be used in queries of `content_edges`. */
export function isInForce(kind: DatabaseKind) {
  return ({ or, eb }: ExpressionBuilder<Tables, 'content_edges'>) =>
    or([eb('content_edges.expires_at', 'is', null), eb('content_edges.expires_at', '>', databaseNowIso(kind))]);
}

/**
 * Adds edges in the caller's transaction; one that exists stays as it is.
 *
 * @param expiresAt ISO-8601: from then on they lead nowhere. Absent: never.
 */
export async function addEdges(
  writer: Writer,
  session: { readonly id: string; readonly owner: string },
  edges: readonly ContentEdge[],
  expiresAt?: string,
): Promise<void> {
  const rows: readonly ContentEdgeRow[] = edges.map((edge) => ({
    owner: session.owner,
    session_id: session.id,
    kind: edge.kind,
    source_id: edge.sourceId,
    digest: edge.digest,
    expires_at: expiresAt ?? null,
  }));
  for (let start = 0; start < rows.length; start += EDGES_A_STATEMENT) {
    await writer
      .insertInto('content_edges')
      .values(rows.slice(start, start + EDGES_A_STATEMENT))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

function digestsOfMessage(message: Message): readonly Digest[] {
  switch (message.role) {
    case 'user':
      return message.imageInputs.flatMap((input) => ('attachment' in input ? [input.attachment.digest] : []));
    case 'tool':
      return message.metadata.attachments.map((attachment) => attachment.digest);
    case 'assistant':
      return [];
    default:
      return assertNever(message);
  }
}
