import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const scripts = ['bench', 'check-floors', 'generate-docs', 'rows', 'torture'];

function runScript(name: string, ...words: readonly string[]) {
  const script = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], { encoding: 'utf8' });
  return { code: status, output: stdout, diagnostics: stderr };
}

describe.each(scripts)('the script %s', (name) => {
  it('prints its usage when it is asked for help', () => {
    const { code, output, diagnostics } = runScript(name, '--help');
    expect(output).toMatch(/^(npm run|node scripts\/)/);
    expect(diagnostics).toBe('');
    expect(code).toBe(0);
  });

  it('refuses an option that it does not know, in one line', () => {
    const { code, output, diagnostics } = runScript(name, '--nope');
    expect(diagnostics).toBe("Unknown option '--nope'; --help lists the options\n");
    expect(output).toBe('');
    expect(code).toBe(2);
  });
});
