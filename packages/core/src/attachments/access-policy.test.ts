import { mkdir, symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { type FileAccess, resolvePath } from './access-policy.ts';
import { defaultForbidden } from './default-forbidden.ts';

let outside: TemporaryFolder;
let workspace: TemporaryFolder;
let photos: TemporaryFolder;
let access: FileAccess;

beforeEach(async () => {
  outside = await createTemporaryFolder();
  workspace = await createTemporaryFolder();
  photos = await createTemporaryFolder();
  access = { workspace: workspace.path, externalFolders: { photos: photos.path }, forbidden: [] };
});

afterEach(async () => {
  await Promise.all([outside.remove(), workspace.remove(), photos.remove()]);
});

async function codeOf(path: string): Promise<string> {
  const result = await resolvePath(path, access);
  return result.ok ? 'ok' : result.error.code;
}

describe('resolvePath', () => {
  it('resolves relative paths against the workspace, not against the folder of the process', async () => {
    const file = await workspace.write('docs/a b.png', 'x');
    for (const path of ['docs/a b.png', './docs/../docs/a b.png', file]) {
      expect(await resolvePath(path, access)).toEqual({
        ok: true,
        value: { path, realPath: file, displayPath: 'docs/a b.png' },
      });
    }
    expect(await codeOf('package.json')).toBe('NOT_FOUND');
  });

  it('names the workspace itself', async () => {
    expect(await resolvePath('.', access)).toMatchObject({ value: { displayPath: '.' } });
  });

  it('reads below the alias of an external folder, by alias or by its absolute path', async () => {
    const file = await photos.write('2024/a.png', 'x');
    for (const path of ['photos/2024/a.png', file]) {
      expect(await resolvePath(path, access)).toMatchObject({
        value: { realPath: file, displayPath: 'photos/2024/a.png' },
      });
    }
  });

  it('lets no path climb out of the workspace or of an external folder', async () => {
    const file = await outside.write('a.png', 'x');
    const name = outside.path.split('/').at(-1) ?? '';
    expect(await codeOf(file)).toBe('OUTSIDE_WORKSPACE');
    expect(await codeOf(`../${name}/a.png`)).toBe('OUTSIDE_WORKSPACE');
    expect(await codeOf(`photos/../../${name}/a.png`)).toBe('OUTSIDE_WORKSPACE');
    expect(await codeOf(`photos/../../${name}/absent.png`)).toBe('OUTSIDE_WORKSPACE');
    expect(await codeOf('/etc/passwd')).toBe('OUTSIDE_WORKSPACE');
  });

  it('takes no folder for another whose name begins alike', async () => {
    const sibling = `${workspace.path}-sibling`;
    await mkdir(sibling);
    expect(await codeOf(sibling)).toBe('OUTSIDE_WORKSPACE');
    access = { ...access, forbidden: [workspace.resolve('secret')] };
    await workspace.write('secrets.txt', 'x');
    expect(await codeOf('secrets.txt')).toBe('ok');
  });

  it('follows links inside, and refuses those that lead out, of files and of folders', async () => {
    const inside = await workspace.write('real.png', 'x');
    await symlink('real.png', workspace.resolve('link.png'));
    expect(await resolvePath('link.png', access)).toMatchObject({
      value: { realPath: inside, displayPath: 'link.png' },
    });
    await outside.write('a.png', 'x');
    await symlink(outside.resolve('a.png'), workspace.resolve('out.png'));
    await symlink(outside.path, workspace.resolve('out'));
    expect(await codeOf('out.png')).toBe('OUTSIDE_WORKSPACE');
    expect(await codeOf('out/a.png')).toBe('OUTSIDE_WORKSPACE');
  });

  it('accepts a link that leads from the workspace into an external folder', async () => {
    const file = await photos.write('a.png', 'x');
    await symlink(file, workspace.resolve('a.png'));
    expect(await resolvePath('a.png', access)).toMatchObject({ value: { realPath: file, displayPath: 'a.png' } });
  });

  it('shows an absolute path that was given through a link below the workspace', async () => {
    await workspace.write('a.png', 'x');
    await symlink(workspace.path, outside.resolve('way'));
    expect(await resolvePath(outside.resolve('way/a.png'), access)).toMatchObject({ value: { displayPath: 'a.png' } });
  });

  it('refuses forbidden files and folders, also as the target of a link, and says so only to people', async () => {
    await workspace.write('private/key.txt', 'x');
    await outside.write('keys/id', 'x');
    access = { ...access, forbidden: [workspace.resolve('private'), outside.resolve('keys')] };
    await symlink('private/key.txt', workspace.resolve('harmless.txt'));
    await symlink(outside.resolve('keys/id'), workspace.resolve('far.txt'));
    for (const path of ['private/key.txt', 'private', 'harmless.txt', 'far.txt']) {
      expect(await codeOf(path)).toBe('FORBIDDEN');
    }
  });

  it('holds a forbidden entry that is itself reached through a link', async () => {
    await workspace.write('vault/a', 'x');
    await symlink(workspace.resolve('vault'), outside.resolve('vault-link'));
    access = { ...access, forbidden: [outside.resolve('vault-link')] };
    expect(await codeOf('vault/a')).toBe('FORBIDDEN');
  });

  it('refuses names that cannot be', async () => {
    for (const path of ['', 'a\0b', 'x'.repeat(5000), 'a.txt/b']) {
      await workspace.write('a.txt', 'x');
      expect(await codeOf(path)).toBe('NOT_FOUND');
    }
  });
});

describe('defaultForbidden', () => {
  it('forbids keys, tokens and the home of Fovea wherever they stand, in any case, and nothing else', async () => {
    const home = workspace.resolve('home');
    access = { ...access, forbidden: defaultForbidden({ homeFolder: home, foveaHome: workspace.resolve('fovea') }) };
    const forbidden = [
      '.env',
      'app/.ENV',
      '.env.production.local',
      'server.pem',
      'certificates/Server.KEY',
      '.ssh/config',
      'id_ed25519',
      'home/.kube/config',
      'home/.config/gh/hosts.yml',
      'fovea/config.jsonc',
    ];
    const allowed = [
      '.env.example',
      'environment.png',
      'key.png',
      'home/.config/other',
      'pem',
      'id_rsa.pub',
      '.hidden.png',
    ];
    for (const path of [...forbidden, ...allowed]) await workspace.write(path, 'x');
    for (const path of forbidden) expect([path, await codeOf(path)]).toEqual([path, 'FORBIDDEN']);
    for (const path of allowed) expect([path, await codeOf(path)]).toEqual([path, 'ok']);
  });

  it('tells whose list forbids a path, where it knows', async () => {
    await workspace.write('a.pem', 'x');
    await workspace.write('mine/b.pem', 'x');
    await workspace.write('mine/c.png', 'x');
    const detailOf = async (path: string) => {
      const result = await resolvePath(path, access);
      return result.ok ? 'ok' : result.error.detail;
    };
    access = { ...access, forbidden: ['*.pem', workspace.resolve('mine')] };
    expect(await resolvePath('a.pem', access)).toEqual({ ok: false, error: { code: 'FORBIDDEN', name: 'a.pem' } });
    access = { ...access, builtInForbidden: ['*.pem'] };
    expect(await detailOf('a.pem')).toBe('built-in');
    expect(await detailOf('mine/b.pem')).toBe('built-in');
    expect(await detailOf('mine/c.png')).toBe('configured');
  });
});
