import type { Locale } from '@fovea/core/base';

/** Environment variables as they are handed in; only the executables read `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable without blanks around it; `undefined` when it is absent or empty. */
export function readVariable(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === undefined || value === '' ? undefined : value;
}

/** The language of the surroundings, where the configuration names none. */
export function detectLocale(environment: Environment): Locale {
  const language =
    readVariable(environment, 'LC_ALL') ??
    readVariable(environment, 'LC_MESSAGES') ??
    readVariable(environment, 'LANG');
  return language?.toLowerCase().startsWith('zh') === true ? 'zh-CN' : 'en';
}
