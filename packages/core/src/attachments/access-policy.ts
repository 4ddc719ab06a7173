/**
 * Which files may be read. Made once for a session by the composition; the rules that use it are
 * in this file and in `open-source.ts`.
 */
export interface FileAccess {
  /** Absolute, real path of the workspace folder. Relative paths are resolved against it. */
  readonly workspace: string;
  /** Alias to absolute path: `photos/a.png` reads below the folder of the alias `photos`. */
  readonly externalFolders: Readonly<Record<string, string>>;
  /** Absolute paths of files and folders that may never be read, `FOVEA_HOME` among them. */
  readonly forbidden: readonly string[];
}
