import { AppError } from '../base/app-error.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { Session, SessionSummary } from '../content/session.ts';
import { encodeLine } from './codec.ts';
import type { Database, Reader } from './database.ts';
import { parseSession } from './records.ts';

export interface SessionChanges {
  readonly title?: string;
  readonly model?: string;
  readonly updatedAt?: string;
}

/** So many sessions are named where several are meant. */
const MOST_CANDIDATES = 10;

/** The sessions of one owner. Every method may throw `STORE_UNAVAILABLE`. */
export class SessionRepository {
  readonly #database: Database;
  readonly #owner: string;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
  }

  /** Stores a new session; its owner must be the repository's. */
  async create(session: Session): Promise<void> {
    if (session.owner !== this.#owner) throw new AppError('INTERNAL', 'a session of another owner');
    const { codec } = this.#database;
    await this.#database.write(async (writer) => {
      await writer
        .insertInto('sessions')
        .values({
          id: session.id,
          owner: session.owner,
          title: encodeLine(session.title),
          workspace: session.workspace,
          external_folders: codec.encodeJson(session.externalFolders),
          model: session.model,
          profile: session.profile,
          model_locale: session.modelLocale,
          prompt_head: JSON.stringify(session.promptHead),
          storage_revision: session.storageRevision,
          created_at: session.createdAt,
          updated_at: session.updatedAt,
        })
        .execute();
      await writer
        .insertInto('session_counters')
        .values({
          session_id: session.id,
          owner: session.owner,
          last_message_seq: 0,
          message_count: 0,
          last_request_number: 0,
        })
        .execute();
    });
  }

  /** Throws `RECORD_INVALID`, and `UNSUPPORTED_REVISION` for a session of a newer build. */
  async get(id: string): Promise<Session | undefined> {
    return this.#first((reader) => this.#select(reader).where('id', '=', id).limit(1).execute());
  }

  /**
   * By id or by a beginning of it; `undefined` when no session begins so. Sessions without messages,
   * which no list shows, count only where no other begins so. Fails with the ids, as many as are
   * worth showing, when several are meant. Throws as {@link get}.
   */
  async findByPrefix(idOrPrefix: string): Promise<Result<Session | undefined, readonly string[]>> {
    if (idOrPrefix === '') return ok(undefined);
    const exact = await this.get(idOrPrefix);
    if (exact !== undefined) return ok(exact);
    const codePoints = [...idOrPrefix].length;
    const rows = await this.#database.read((reader) =>
      this.#selectUsedFirst(reader)
        .where((expression) =>
          expression(
            expression.fn<string>('substr', ['sessions.id', expression.lit(1), expression.lit(codePoints)]),
            '=',
            idOrPrefix,
          ),
        )
        .limit(MOST_CANDIDATES)
        .execute(),
    );
    const used = rows.filter((row) => row.message_count > 0);
    const meant = used.length > 0 ? used : rows;
    const [row, second] = meant;
    if (row === undefined) return ok(undefined);
    return second === undefined ? ok(parseSession(row, this.#database.codec)) : fail(meant.map(({ id }) => id));
  }

  /**
   * The session with messages that was used last, in `workspace` if given; where none has messages,
   * the one made last, so that it can be gone on with after its first turn was refused. Throws as
   * {@link get}.
   */
  async latest(workspace?: string): Promise<Session | undefined> {
    return this.#first((reader) => {
      const newest = this.#selectUsedFirst(reader).limit(1);
      return (workspace === undefined ? newest : newest.where('sessions.workspace', '=', workspace)).execute();
    });
  }

  /** The sessions that have messages, used last first. Reads no message. */
  async list(limit: number): Promise<readonly SessionSummary[]> {
    return this.#database.read((reader) =>
      reader
        .selectFrom('sessions')
        .innerJoin('session_counters', 'session_counters.session_id', 'sessions.id')
        .select([
          'sessions.id',
          'sessions.title',
          'sessions.workspace',
          'sessions.model',
          'session_counters.message_count as messageCount',
          'sessions.updated_at as updatedAt',
        ])
        .where('sessions.owner', '=', this.#owner)
        .where('session_counters.message_count', '>', 0)
        .orderBy('sessions.updated_at', 'desc')
        .orderBy('sessions.id', 'desc')
        .limit(limit)
        .execute(),
    );
  }

  /** Changes what is given and nothing else. Throws `SESSION_NOT_FOUND`. */
  async update(id: string, changes: SessionChanges): Promise<void> {
    const columns = {
      ...(changes.title === undefined ? {} : { title: encodeLine(changes.title) }),
      ...(changes.model === undefined ? {} : { model: changes.model }),
      ...(changes.updatedAt === undefined ? {} : { updated_at: changes.updatedAt }),
    };
    if (Object.keys(columns).length === 0) return;
    await this.#database.write(async (writer) => {
      const updated = await writer
        .updateTable('sessions')
        .set(columns)
        .where('id', '=', id)
        .where('owner', '=', this.#owner)
        .returning('id')
        .executeTakeFirst();
      if (updated === undefined) throw sessionNotFound(id);
    });
  }

  #select(reader: Reader) {
    return reader.selectFrom('sessions').selectAll().where('owner', '=', this.#owner);
  }

  /** Sessions with messages before those without, of each kind the one used last first. */
  #selectUsedFirst(reader: Reader) {
    return reader
      .selectFrom('sessions')
      .innerJoin('session_counters', 'session_counters.session_id', 'sessions.id')
      .selectAll('sessions')
      .select('session_counters.message_count')
      .where('sessions.owner', '=', this.#owner)
      .orderBy((expression) =>
        expression
          .case()
          .when('session_counters.message_count', '>', 0)
          .then(expression.lit(0))
          .else(expression.lit(1))
          .end(),
      )
      .orderBy('sessions.updated_at', 'desc')
      .orderBy('sessions.id', 'desc');
  }

  async #first(
    query: (reader: Reader) => Promise<readonly Parameters<typeof parseSession>[0][]>,
  ): Promise<Session | undefined> {
    const [row] = await this.#database.read(query);
    return row === undefined ? undefined : parseSession(row, this.#database.codec);
  }
}

export function sessionNotFound(id: string): AppError {
  return new AppError('SESSION_NOT_FOUND', `no session has the id ${id}`, { data: { sessionId: id } });
}

/** Throws `SESSION_NOT_FOUND`, also for a session of another owner. */
export async function requireSession(
  reader: Reader,
  { id, owner }: { readonly id: string; readonly owner: string },
): Promise<void> {
  const session = await reader
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where('owner', '=', owner)
    .executeTakeFirst();
  if (session === undefined) throw sessionNotFound(id);
}
