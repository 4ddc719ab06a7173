/** A file system that other machines share. */
export interface NetworkMount {
  /** As the system names it: `nfs4`, `cifs`, `fuse.sshfs`. */
  readonly kind: string;
  readonly mountPoint: string;
}

/**
 * File systems whose locks and shared memory are not those of one machine: SQLite's log needs both.
 * Source: SQLite manual, "Write-Ahead Logging", section 1 ("all processes using a database must be
 * on the same host computer").
 */
const networkKinds: ReadonlySet<string> = new Set([
  'nfs',
  'nfs4',
  'cifs',
  'smb3',
  'smbfs',
  'afs',
  'ceph',
  'lustre',
  'gpfs',
  'fuse.sshfs',
  'fuse.rclone',
  'fuse.s3fs',
  'fuse.gcsfuse',
  'fuse.glusterfs',
]);

interface Mount {
  readonly point: string;
  readonly kind: string;
  readonly source: string;
  readonly options: string;
}

/**
 * The network file system that `path` lies in; `undefined` where it is a local one, or cannot be told.
 *
 * @param table The text of `/proc/self/mountinfo`. Source: proc_pid_mountinfo(5).
 * @param path Absolute, without links.
 */
export function findNetworkMount(table: string, path: string): NetworkMount | undefined {
  let found: Mount | undefined;
  for (const line of table.split('\n')) {
    const mount = parseLine(line);
    if (mount === undefined || !isBelow(path, mount.point)) continue;
    // Of two on the same point the later one lies on top.
    if (found === undefined || mount.point.length >= found.point.length) found = mount;
  }
  return found !== undefined && isNetwork(found) ? { kind: found.kind, mountPoint: found.point } : undefined;
}

/** Fields before ` - `: id, parent, device, root, point, options, tags; behind it: kind, source, options. */
function parseLine(line: string): Mount | undefined {
  const [before = '', behind = ''] = line.split(' - ', 2);
  const point = before.split(' ')[4];
  const [kind, source = '', options = ''] = behind.split(' ');
  if (point === undefined || kind === undefined || kind === '') return undefined;
  return { point: unescapeField(point), kind, source: unescapeField(source), options };
}

function isBelow(path: string, point: string): boolean {
  return point === '/' || path === point || path.startsWith(`${point}/`);
}

function isNetwork({ kind, source, options }: Mount): boolean {
  // WSL shows the drives of Windows so; its own files and those of virtual machines are 9p as well.
  if (kind === '9p') return source === 'drvfs' || options.split(/[,;]/).includes('aname=drvfs');
  return networkKinds.has(kind);
}

/** Blank, tab, line feed and backslash are written as three octal digits. */
function unescapeField(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_whole, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
