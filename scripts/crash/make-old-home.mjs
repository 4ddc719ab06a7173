// A home folder as migration 2 left it: two conversations, one of them in a turn whose process died.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, createDatabase } from '../../packages/core/dist/store/database.js';
import { migrate } from '../../packages/core/dist/store/migrate.js';
import { firstTables } from '../../packages/core/dist/store/migrations/0001-first-tables.js';
import { fileChanges } from '../../packages/core/dist/store/migrations/0002-file-changes.js';
import { currentProcessMark } from '../../packages/core/dist/store/process-mark.js';
import { SessionRepository } from '../../packages/core/dist/store/session-repository.js';

/** Long enough for a migration that takes some time. */
const messages = 400;
const createdAt = '2026-01-02T00:00:00.000Z';

/** @param {{ home: string, workspace: string }} place whose home folder is there */
export async function makeOldHome({ home, workspace }) {
  const path = join(home, 'fovea.db');
  await writeFile(path, '', { mode: 0o600 });
  const connection = await connect({ kind: 'sqlite', path });
  try {
    await migrate(connection, { revision: 3, migrations: [firstTables, fileChanges] });
    const database = createDatabase(connection);
    const sessions = new SessionRepository(database, 'local');
    for (const id of ['ses_old_1', 'ses_old_2']) await sessions.create(makeSession(id, workspace));
    await connection.kysely.transaction().execute(async (writer) => {
      for (const id of ['ses_old_1', 'ses_old_2']) await fillSession(writer, id);
      await writer.insertInto('turns').values(makeDeadTurn()).execute();
    });
  } finally {
    await connection.close();
  }
}

function makeSession(id, workspace) {
  return {
    id,
    title: 'An old dialog',
    workspace,
    externalFolders: {},
    owner: 'local',
    model: 'lab/seer',
    profile: 'workspace-write',
    modelLocale: 'en',
    promptHead: { systemPrompt: 'You see.', tools: [] },
    storageRevision: 3,
    createdAt,
    updatedAt: createdAt,
  };
}

async function fillSession(writer, sessionId) {
  for (let seq = 1; seq <= messages; seq++) {
    const message = makeMessage(sessionId, seq);
    const { id, turnId } = message;
    const row = { session_id: sessionId, seq, owner: 'local', id, turn_id: turnId, revision: 3 };
    await writer
      .insertInto('messages')
      .values({ ...row, body: JSON.stringify(message) })
      .execute();
  }
  await writer
    .updateTable('session_counters')
    .set({ last_message_seq: messages, message_count: messages, last_request_number: messages / 2 })
    .where('session_id', '=', sessionId)
    .execute();
}

/** Of the user and of the model in turn; the last one is the model's. */
function makeMessage(sessionId, seq) {
  const common = { id: `msg_${seq}`, turnId: `${sessionId}_turn_${(seq + 1) >> 1}`, createdAt };
  if (seq % 2 === 1) return { ...common, role: 'user', content: `An old question ${seq}`, imageInputs: [] };
  const parts = [{ type: 'text', text: `An old answer ${seq}` }];
  return { ...common, role: 'assistant', parts, model: 'lab/seer', status: 'completed' };
}

function makeDeadTurn() {
  return {
    id: `ses_old_1_turn_${messages / 2}`,
    session_id: 'ses_old_1',
    owner: 'local',
    submission_id: 'sub_old',
    status: 'running',
    started_at: createdAt,
    writer: JSON.stringify({ ...currentProcessMark(), pid: 4_194_305 }),
  };
}
