import type { Locale } from '@fovea/core/base';
import type { Fovea } from '@fovea/server';
import type { CliTexts } from './texts.ts';

/** What every command gets: the process's surroundings, and the services, opened when first used. */
export interface CommandContext {
  readonly locale: Locale;
  readonly texts: CliTexts;
  /** The folder that relative paths of options start at. */
  readonly currentFolder: string;
  /** Where the configuration is, or would be. */
  readonly configFile: string;
  /** Fovea's own folder. */
  readonly foveaHome: string;
  readonly hasColors: boolean;
  /** The terminal cannot move its cursor (`TERM=dumb`). */
  readonly isPlain: boolean;
  /** Aborted by Ctrl+C and by a termination signal. */
  readonly signal: AbortSignal;
  /** The services; throws `AppError` for a wrong configuration or an unusable home. */
  openFovea(): Promise<Fovea>;
}
