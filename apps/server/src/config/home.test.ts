import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configFilePath, findHome } from './home.ts';

describe('findHome', () => {
  it('takes FOVEA_HOME, as an absolute path', () => {
    expect(findHome({ FOVEA_HOME: resolve('/tmp/eyes') })).toBe(resolve('/tmp/eyes'));
    expect(findHome({ FOVEA_HOME: 'eyes' })).toBe(resolve('eyes'));
  });

  it('takes a leading ~ in FOVEA_HOME as the home folder of the user', () => {
    const HOME = resolve('/home/me');
    const surroundings = process.platform === 'win32' ? { USERPROFILE: HOME } : { HOME };
    expect(findHome({ ...surroundings, FOVEA_HOME: '~/fov' })).toBe(join(HOME, 'fov'));
    expect(findHome({ ...surroundings, FOVEA_HOME: '~' })).toBe(HOME);
    expect(findHome({ ...surroundings, FOVEA_HOME: '~fov' })).toBe(resolve('~fov'));
  });

  it.each([{}, { FOVEA_HOME: '' }, { FOVEA_HOME: '  ' }])(
    'takes the data folder of the platform for %j',
    (environment) => {
      const home = findHome(environment);
      expect(isAbsolute(home)).toBe(true);
      expect(home).toMatch(/fovea([\\/]Data)?$/);
      if (process.platform === 'linux' && process.env['XDG_DATA_HOME'] === undefined) {
        expect(home).toBe(join(homedir(), '.local', 'share', 'fovea'));
      }
    },
  );

  it('keeps the configuration there', () => {
    expect(configFilePath('/eyes')).toBe(join('/eyes', 'config.jsonc'));
  });
});
