import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { expectClean } from '../../packages/core/src/testing/strict-server/expect-clean.ts';
import { replyText, replyToolCalls } from '../../packages/core/src/testing/strict-server/reply.ts';
import { startStrictServer } from '../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { drawCart } from './draw-cart.ts';
import { startTerminal } from './drive-terminal.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const guideFile = join(repository, 'docs/guide/a-job-in-the-terminal.md');

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** The model of the guide knows its job by heart; what it is shown and what it does is real. */
const script = [
  replyToolCalls([{ name: 'view_image', arguments: { path: 'shots/cart.png' } }], {
    text: 'I look at the screenshot first.',
  }),
  replyToolCalls([{ name: 'search_text', arguments: { pattern: 'total|Price', glob: '**/*.js' } }], {
    text: 'The lines add up to $29.99, but the page shows **$299.90**: ten times too much. Who formats it?',
  }),
  replyToolCalls([{ name: 'read_file', arguments: { path: 'src/cart.js' } }]),
  replyToolCalls(
    [
      {
        name: 'edit_file',
        arguments: { path: 'src/cart.js', old_text: '(cents / 10)', new_text: '(cents / 100)' },
      },
    ],
    { text: '`formatPrice` divides cents by 10.' },
  ),
  replyToolCalls([{ name: 'run_command', arguments: { command: 'npm test --silent' } }]),
  replyText('Fixed: `formatPrice` in `src/cart.js` divides by 100 now, and the test passes. The total reads $29.99.'),
  replyToolCalls([{ name: 'write_file', arguments: { path: 'NOTES.md', content: 'Prices are cents.\n' } }]),
  replyToolCalls([{ name: 'run_command', arguments: { command: 'sleep 600' } }]),
  replyText('NOTES.md is gone again; src/cart.js keeps its fix.'),
];

it('writes the transcript of a job: a picture, an edit, a test, approvals, a stop, an undo', async () => {
  const server = await startStrictServer({ personality: 'openai', script });
  closing.push(() => server.close());
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'fovea-guide-')));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const workspace = join(folder, 'shop');
  await cp(join(repository, 'fixtures/guide/shop'), workspace, { recursive: true });
  await mkdir(join(workspace, 'shots'));
  await writeFile(join(workspace, 'shots/cart.png'), await drawCart());
  await mkdir(join(folder, 'home'));
  await writeFile(join(folder, 'home/config.jsonc'), JSON.stringify(configuration(server.baseUrl)));
  const terminal = await startTerminal(
    [process.execPath, join(repository, 'apps/cli/bin/fovea.js'), 'chat', '-C', workspace],
    {
      columns: 96,
      rows: 40,
      environment: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        FOVEA_HOME: join(folder, 'home'),
        TERM: 'xterm-256color',
        LANG: 'C.UTF-8',
        LAB_KEY: 'key-of-the-guide',
      },
    },
  );
  closing.push(terminal.close);

  await terminal.until('›');
  await terminal.type('The total on shots/cart.png is wrong. Find out why and fix it.', 'Enter');
  await terminal.until('npm test --silent');
  await terminal.until('[y] once');
  const cart = () => readFile(join(workspace, 'src/cart.js'), 'utf8');
  expect(await cart()).toContain('(cents / 100)');
  await terminal.type('y');
  await terminal.until('and the test passes.');
  const [, second] = server.requests;
  expect(second?.pictures.map(({ widthPx, heightPx }) => [widthPx, heightPx])).toEqual([[720, 360]]);

  await terminal.type('Write that down in NOTES.md and start the server.', 'Enter');
  await terminal.until('sleep 600');
  // Keys typed earlier are words.
  await terminal.until('[y] once');
  await terminal.type('n');
  await terminal.until('Why not?');
  await terminal.type('', 'Escape');
  await terminal.until('Interrupted.');
  expect(await readFile(join(workspace, 'NOTES.md'), 'utf8')).toBe('Prices are cents.\n');

  await terminal.type('/undo', 'Enter');
  await terminal.until('removed: NOTES.md');
  await expect(readFile(join(workspace, 'NOTES.md'), 'utf8')).rejects.toThrow('ENOENT');
  await terminal.type('What is left of your changes?', 'Enter');
  await terminal.until('keeps its fix.');
  expect(await cart()).toContain('(cents / 100)');
  await terminal.type('/cost', 'Enter');
  await terminal.until('lab/seer:');
  expectClean(server);

  const screen = (await terminal.screen()).replaceAll(workspace, '~/shop').replaceAll(folder, '~').trimEnd();
  await writeFile(guideFile, guide(screen));
});

function configuration(baseUrl: string): object {
  return {
    model: 'lab/seer',
    channels: {
      lab: {
        supplier: 'custom',
        wireApi: 'openai-chat',
        baseUrl,
        apiKey: 'env:LAB_KEY',
        models: { seer: { imageInput: 'yes', price: { input: 1, cached: 0.1, output: 5 } } },
      },
    },
  };
}

function guide(screen: string): string {
  return `# A job in the terminal

A page shows a wrong total. This is the whole conversation that repairs it, as a terminal of 96 columns showed it: \`npm run guide\` ran it again and wrote this page. The model plays a script; the picture it is shown, the files it changes and the commands it runs are real.

What to look for:

- The path in the message uploads nothing. The model calls \`view_image\`, and gets the pixels.
- Reading and editing inside of the workspace need no question; the change is shown as a diff.
- A command is asked for. Because this turn has seen a picture that a tool gave, the question says so.
- In the second message the command is declined half way: Esc stops the turn. What the turn had written until then is there, and \`/undo\` takes it back; the fix of the turn before stays.
- The conversation goes on afterwards, and \`/cost\` says what it has cost.

\`\`\`text
${screen}
\`\`\`
`;
}
