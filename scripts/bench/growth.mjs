// What a conversation leaves in the store when it reads one picture a thousand times: the whole program, queue, events
// and all, against a model on loopback. The 10th, 100th and 1,000th read are turns of their own, and counted when the turn
// is over: the bytes in the columns of all tables, a number as eight. The figure is KiB a read; it is infinite when the
// picture was stored twice, or when a later read costs more than an early one.
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { startChatEndpoint } from '../crash/chat-endpoint.mjs';
import { drawPicture } from '../crash/draw-picture.mjs';
import { openFovea, prepareHome } from '../crash/open-fovea.mjs';

export const name = 'growth';
export const bound = 4;

const KIB = 1024;
const places = [10, 100, 1000];
/** Reads of one turn between the places, and of one step of it. */
const mostReads = 200;
const readsAStep = 10;

export async function judge() {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-growth-'));
  const endpoint = await startChatEndpoint({ pauseMs: 0 });
  try {
    return await readAgainAndAgain(folder, endpoint);
  } finally {
    await endpoint.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function readAgainAndAgain(folder, { baseUrl }) {
  const home = join(folder, 'home');
  const workspace = join(folder, 'workspace');
  await prepareHome({ home, workspace, baseUrl });
  await writeFile(join(workspace, 'shot.png'), drawPicture(1));
  const fovea = await openFovea({ home });
  try {
    const created = await fovea.createSession({ workspace, model: 'lab/seer' });
    if (!created.ok) throw created.error;
    const sizes = [];
    const files = [];
    for (let read = 0; read < places.at(-1); ) {
      const count = countReads(read + 1);
      read += count;
      await runTurn(fovea, { sessionId: created.value.id, read, count });
      if (count > 1) continue;
      sizes[read] = measureTables(home);
      if (places.includes(read))
        files.push(`${Math.round((await stat(join(home, 'fovea.db'))).size / KIB)} KiB at ${read}`);
    }
    const growths = places.map((read) => sizes[read].total - sizes[read - 1].total);
    const mean = (sizes[1000].total - sizes[100].total) / 900;
    const blobs = await countFiles(join(home, 'blobs'));
    const isEven = growths.every((growth) => growth === growths[0]);
    const isRight = blobs <= 2 && isEven;
    return {
      figure: isRight ? Math.max(...growths, mean) / KIB : Number.POSITIVE_INFINITY,
      notes: [
        `${growths.join(', ')} bytes at the ${places.join('th, ')}th read; ${Math.round(mean)} on the way; blobs: ${blobs}`,
        `by table: ${byTable(sizes[1000].tables, sizes[999].tables)}`,
        `file (with room for its log): ${files.join(', ')}`,
      ],
    };
  } finally {
    await fovea.close();
  }
}

/** So many reads are the turn that begins with this one: those that are measured, and the ones before them, stand alone. */
function countReads(first) {
  const next = places.find((place) => place >= first) ?? first;
  return Math.max(1, Math.min(mostReads, next - 1 - first));
}

async function runTurn(fovea, { sessionId, read, count }) {
  const lines = Array.from({ length: count }, (_, index) => {
    return `${index > 0 && index % readsAStep === 0 ? 'THEN\n' : ''}CALL read_file {"path":"shot.png"}`;
  });
  const text = [`[t${String(read).padStart(4, '0')}]`, ...lines].join('\n');
  let end;
  let results = 0;
  for await (const event of fovea.runTurn({ sessionId, text, attachments: [] })) {
    if (event.type === 'tool-result' && !event.isError) results += 1;
    end = event;
  }
  if (end?.status !== 'completed' || results !== count) throw new Error(`read ${read}: ${JSON.stringify(end)}`);
}

function measureTables(home) {
  const database = new Libsql(join(home, 'fovea.db'), { readonly: true });
  try {
    const names = database
      .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
      .all();
    const tables = new Map(names.map(({ name: table }) => [table, measureTable(database, table)]));
    return { tables, total: [...tables.values()].reduce((sum, bytes) => sum + bytes, 0) };
  } finally {
    database.close();
  }
}

function measureTable(database, table) {
  const columns = database.prepare(`select name from pragma_table_info('${table}')`).all();
  const lengths = columns.map(
    ({ name: column }) =>
      `case typeof("${column}") when 'integer' then 8 when 'null' then 0 else length(cast("${column}" as blob)) end`,
  );
  return database.prepare(`select coalesce(sum(${lengths.join(' + ')}), 0) as bytes from "${table}"`).get().bytes;
}

function byTable(after, before) {
  return [...after]
    .map(([table, bytes]) => [table, bytes - (before.get(table) ?? 0)])
    .filter(([, bytes]) => bytes !== 0)
    .map(([table, bytes]) => `${table} ${bytes}`)
    .join(', ');
}

async function countFiles(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).length;
}
