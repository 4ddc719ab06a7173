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

  it('takes a path that ends with a slash, and a name with a line break, as they are', async () => {
    const file = await workspace.write('a\nb.png', 'x');
    expect(await resolvePath('a\nb.png', access)).toMatchObject({
      value: { realPath: file, displayPath: 'a\nb.png' },
    });
    await mkdir(workspace.resolve('shots'));
    expect(await resolvePath('shots/', access)).toMatchObject({ value: { displayPath: 'shots' } });
    expect(await resolvePath('photos/', access)).toMatchObject({ value: { displayPath: 'photos' } });
  });

  it('takes no file for a folder because of a slash behind its name, and says so', async () => {
    await workspace.write('shots/a.png', 'x');
    await photos.write('b.png', 'x');
    await symlink('a.png', workspace.resolve('shots/link.png'));
    const paths = [
      'shots/a.png/',
      'shots/a.png//',
      'shots/a.png/.',
      workspace.resolve('shots/a.png/'),
      'photos/b.png/',
    ];
    for (const path of [...paths, 'shots/link.png/']) {
      expect(await resolvePath(path, access)).toEqual({
        ok: false,
        error: { code: 'NOT_FOUND', name: path, detail: 'file-not-folder' },
      });
    }
    await symlink('shots', workspace.resolve('album'));
    for (const path of ['album/', './', 'shots/.', `${workspace.path}/`]) expect(await codeOf(path)).toBe('ok');
    // Of what may not be read nothing more is told.
    access = { ...access, forbidden: ['a.png'] };
    expect(await codeOf('shots/a.png/')).toBe('FORBIDDEN');
    expect(await codeOf(`${outside.path}/c.png/`)).toBe('OUTSIDE_WORKSPACE');
    expect(await resolvePath('shots/none.png/', access)).toEqual({
      ok: false,
      error: { code: 'NOT_FOUND', name: 'shots/none.png/' },
    });
  });

  it('does not tell what lies outside apart from what is not there, whatever the system says of it', async () => {
    await outside.write('a.png', 'x');
    await symlink('loop', outside.resolve('loop'));
    for (const name of ['a.png', 'absent.png', 'a.png/b', 'loop', 'x'.repeat(300)]) {
      expect(await codeOf(outside.resolve(name))).toBe('OUTSIDE_WORKSPACE');
    }
  });

  it.skipIf(process.platform === 'win32')('says of paths of Windows that they are no paths here', async () => {
    for (const path of ['C:\\shots\\a.png', 'C:/shots/a.png', '\\\\server\\share\\a.png', '\\\\?\\C:\\a.png']) {
      expect(await resolvePath(path, access)).toEqual({
        ok: false,
        error: { code: 'NOT_FOUND', name: path, detail: 'windows-path' },
      });
    }
    // The exact name comes first: here it is a name like any other.
    const file = await workspace.write('C:\\a.png', 'x');
    expect(await resolvePath('C:\\a.png', access)).toMatchObject({ value: { realPath: file } });
    expect(await resolvePath('absent.png', access)).toEqual({
      ok: false,
      error: { code: 'NOT_FOUND', name: 'absent.png' },
    });
  });

  it('refuses names that cannot be', async () => {
    for (const path of ['', 'a\0b', 'x'.repeat(5000), 'a.txt/b']) {
      await workspace.write('a.txt', 'x');
      expect(await codeOf(path)).toBe('NOT_FOUND');
    }
  });
});

describe('resolvePath and look-alike names', () => {
  const narrow = '\u202f';
  const hard = '\u00a0';

  it.each([
    ['a blank for the narrow space of a macOS screenshot', `Screenshot 1.02${narrow}PM.png`, 'Screenshot 1.02 PM.png'],
    ['a blank for a no-break space', `a${hard}b.png`, 'a b.png'],
    ['a no-break space for a blank', 'a b.png', `a${hard}b.png`],
    ['one Unicode space for another', `a\u2009b\u3000c.png`, `a b\u205fc.png`],
    ['composed letters for decomposed ones', 'U\u0308bung.png', '\u00dcbung.png'],
    ['decomposed letters for composed ones', '\u00dcbung.png', 'U\u0308bung.png'],
  ])('finds %s', async (_name, stored, asked) => {
    const file = await workspace.write(`shots/${stored}`, 'x');
    expect(await resolvePath(`shots/${asked}`, access)).toEqual({
      ok: true,
      value: { path: `shots/${asked}`, realPath: file, displayPath: `shots/${stored}` },
    });
    expect(await resolvePath(workspace.resolve(`shots/${asked}`), access)).toMatchObject({ value: { realPath: file } });
  });

  it('finds look-alikes of every part, below an alias too', async () => {
    const file = await photos.write(`Sommer${hard}2024/Caf\u0065\u0301/a${narrow}b.png`, 'x');
    expect(await resolvePath('photos/Sommer 2024/Caf\u00e9/a b.png', access)).toMatchObject({
      value: { realPath: file, displayPath: `photos/Sommer${hard}2024/Caf\u0065\u0301/a${narrow}b.png` },
    });
    access = { ...access, externalFolders: { [`Alte${hard}Bilder`]: photos.path } };
    expect(await resolvePath('Alte Bilder/Sommer 2024/Caf\u00e9/a b.png', access)).toMatchObject({
      value: { realPath: file },
    });
  });

  it('finds an absolute path whose root is spelt in another way', async () => {
    const file = await workspace.write(`U\u0308bung 1/work/a.png`, 'x');
    access = { ...access, workspace: workspace.resolve(`U\u0308bung 1/work`) };
    expect(await resolvePath(workspace.resolve(`\u00dcbung${hard}1/work/a.png`), access)).toMatchObject({
      value: { realPath: file, displayPath: 'a.png' },
    });
  });

  it('takes the exact name first', async () => {
    const exact = await workspace.write('a b.png', 'x');
    await workspace.write(`a${hard}b.png`, 'y');
    await workspace.write(`a${narrow}b.png`, 'z');
    expect(await resolvePath('a b.png', access)).toMatchObject({ value: { realPath: exact } });
  });

  it('lists two candidates instead of guessing, in folders and in names', async () => {
    await workspace.write(`shots/a${hard}b.png`, 'x');
    await workspace.write(`shots/a${narrow}b.png`, 'x');
    expect(await resolvePath('shots/a b.png', access)).toEqual({
      ok: false,
      error: {
        code: 'AMBIGUOUS_NAME',
        name: 'shots/a b.png',
        candidates: [`shots/a${hard}b.png`, `shots/a${narrow}b.png`],
      },
    });
    await photos.write(`one${hard}two/a.png`, 'x');
    await photos.write(`one${narrow}two/a.png`, 'x');
    expect(await resolvePath('photos/one two/a.png', access)).toMatchObject({
      error: { candidates: [`photos/one${hard}two/a.png`, `photos/one${narrow}two/a.png`] },
    });
    // Only one of the two folders holds this one.
    const only = await photos.write(`one${narrow}two/b.png`, 'x');
    expect(await resolvePath('photos/one two/b.png', access)).toMatchObject({ value: { realPath: only } });
  });

  it('is no way around the rules, and lists nothing that may not be read', async () => {
    await outside.write(`a${hard}b.png`, 'x');
    await symlink(outside.path, workspace.resolve('out'));
    expect(await codeOf('out/a b.png')).toBe('NOT_FOUND');
    expect(await codeOf(outside.resolve('a b.png'))).toBe('OUTSIDE_WORKSPACE');
    await workspace.write(`key${hard}1/a b.png`, 'x');
    await workspace.write(`key${narrow}1/a b.png`, 'x');
    access = { ...access, forbidden: [workspace.resolve(`key${hard}1`)] };
    expect(await resolvePath('key 1/a b.png', access)).toMatchObject({
      value: { realPath: workspace.resolve(`key${narrow}1/a b.png`) },
    });
    access = { ...access, forbidden: [`key${hard}1`, `key${narrow}1`] };
    expect(await codeOf('key 1/a b.png')).toMatch(/NOT_FOUND|FORBIDDEN/);
    await workspace.write(`note${hard}1.txt`, 'x');
    const open = await workspace.write(`note${narrow}1.txt`, 'x');
    access = { ...access, forbidden: [workspace.resolve(`note${hard}1.txt`)] };
    expect(await resolvePath('note 1.txt', access)).toMatchObject({ value: { realPath: open } });
    await symlink(outside.resolve(`a${hard}b.png`), workspace.resolve(`x${hard}y.png`));
    expect(await codeOf('x y.png')).toBe('OUTSIDE_WORKSPACE');
  });

  it('means the link of exactly this name, also when it leads nowhere', async () => {
    await symlink('gone.png', workspace.resolve('a b.png'));
    await workspace.write(`a${hard}b.png`, 'x');
    expect(await codeOf('a b.png')).toBe('NOT_FOUND');
  });

  it('does not take other names for look-alikes', async () => {
    await workspace.write('a b.png', 'x');
    await workspace.write('u.png', 'x');
    for (const path of ['ab.png', 'a  b.png', '\u00fc.png', 'a b.png\u200b']) {
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
      '.netrc',
      '.npmrc',
      '.pypirc',
      '.git-credentials',
      'id_rsa',
      'keys/id_rsa.bak',
      'key.p12',
      'key.pfx',
      'passwords.kdbx',
      'prod.env',
      'deploy/credentials.json',
      'kubeconfig',
      'profile/key4.db',
      'profile/Login Data',
      'home/.aws/credentials',
      'home/.azure/accessTokens.json',
      'home/.config/gcloud/credentials.db',
      'home/.docker/config.json',
      'home/.gnupg/secring.gpg',
      'home/.local/share/keyrings/login.keyring',
      'home/Library/Keychains/login.keychain-db',
      'home/.mozilla/firefox/a/cookies.sqlite',
      'home/.config/google-chrome/Default/Cookies',
    ];
    const allowed = [
      '.env.example',
      'environment.png',
      'key.png',
      'home/.config/other',
      'pem',
      'id_rsa.pub',
      '.hidden.png',
      'id_card.png',
      'credentials.png',
      'keys/readme.md',
      'home/.docker/contexts/meta.json',
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
