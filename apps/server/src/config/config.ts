import type { Locale } from '@fovea/core/base';
import type { PermissionProfile } from '@fovea/core/content';
import type { ChannelConfig, ConfigFile } from './config-schema.ts';

/** The configuration with its defaults, frozen. Each service is given its own slice of it. */
export interface Config {
  readonly locale: Locale;
  /** `channel/model`; absent: nothing was chosen. */
  readonly model: string | undefined;
  /** `auto`, `channel/model`, or `null` for nobody. */
  readonly visionModel: string | null;
  readonly nonVision: 'summary' | 'error';
  readonly channels: Readonly<Record<string, ChannelConfig>>;
  readonly permissions: {
    readonly profile: PermissionProfile;
    /** As written: absolute, or starting with `~/`. */
    readonly forbidRead: readonly string[];
    readonly externalFolders: Readonly<Record<string, string>>;
  };
  readonly systemPrompt: string | null;
  readonly vision: { readonly askBeforeSending: boolean };
  readonly commands: { readonly environment: readonly string[] };
  readonly mcpServers: NonNullable<ConfigFile['mcpServers']>;
  /** Only what the file sets; the defaults are those of admission. */
  readonly limits: NonNullable<ConfigFile['limits']>;
  readonly fetch: { readonly allow: readonly string[] };
  readonly server: { readonly workspaceRoots: readonly string[]; readonly hostTools: boolean };
}

/** What holds where the file says nothing. `locale` is the surroundings' language. */
export function fillConfigDefaults(file: ConfigFile, locale: Locale): Config {
  return freezeDeeply({
    locale: file.locale ?? locale,
    model: file.model,
    visionModel: file.visionModel === undefined ? 'auto' : file.visionModel,
    nonVision: file.nonVision ?? 'summary',
    channels: file.channels ?? {},
    permissions: {
      profile: file.permissions?.profile ?? 'workspace-write',
      forbidRead: file.permissions?.forbidRead ?? [],
      externalFolders: file.permissions?.externalFolders ?? {},
    },
    systemPrompt: file.systemPrompt ?? null,
    vision: { askBeforeSending: file.vision?.askBeforeSending ?? true },
    commands: { environment: file.commands?.environment ?? [] },
    mcpServers: file.mcpServers ?? {},
    limits: file.limits ?? {},
    fetch: { allow: file.fetch?.allow ?? [] },
    server: { workspaceRoots: file.server?.workspaceRoots ?? [], hostTools: file.server?.hostTools ?? false },
  });
}

function freezeDeeply<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freezeDeeply(inner);
  }
  return value;
}
