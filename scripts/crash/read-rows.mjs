import { join } from 'node:path';
import Libsql from 'libsql';

/** Rows of a home's database, past every repository. @returns {readonly Record<string, any>[]} */
export function readRows(home, statement) {
  const database = new Libsql(join(home, 'fovea.db'), { readonly: true });
  try {
    return database.prepare(statement).all();
  } finally {
    database.close();
  }
}

/** Nobody is writing. */
export function isUnlocked(home) {
  const database = new Libsql(join(home, 'fovea.db'));
  try {
    database.exec('begin immediate; rollback');
    return true;
  } catch (error) {
    if (error.code !== 'SQLITE_BUSY') throw error;
    return false;
  } finally {
    database.close();
  }
}

/** The messages of all courses and sessions. */
export function readMessages(home) {
  const rows = readRows(home, 'select session_id, body from messages order by session_id, seq');
  return rows.map((row) => ({ ...JSON.parse(row.body), sessionId: row.session_id }));
}

/** The tag of a user's text; absent for those of an older build. */
export function tagOf({ role, content }) {
  return role === 'user' ? /^\[([a-z0-9-]+)\]/.exec(content)?.[1] : undefined;
}

export function wordsOf({ parts }) {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
