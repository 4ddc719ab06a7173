// A child process that prints lines of JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * @param {string} script
 * @param {readonly string[]} words
 */
export function startChild(script, words) {
  const child = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = [];
  let rest = '';
  let diagnostics = '';
  const ended = once(child, 'close').then(() => undefined);
  child.stderr.setEncoding('utf8').on('data', (text) => {
    diagnostics += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const pieces = (rest + text).split('\n');
    // What was printed is whole or was cut by the kill: a cut line was never said.
    rest = pieces.pop();
    lines.push(...pieces.map((piece) => JSON.parse(piece)));
    child.emit('lines');
  });
  return {
    lines,
    pid: child.pid,
    diagnostics: () => diagnostics,
    kill: (signal) => child.kill(signal),
    ended,
    /** Resolves when there are so many lines, and when the child has ended: then `false`. */
    async untilLines(count) {
      while (lines.length < count) {
        const more = once(child, 'lines').then(() => true);
        if (!(await Promise.race([more, ended.then(() => false)]))) return lines.length >= count;
      }
      return true;
    },
  };
}
