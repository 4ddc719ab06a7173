import { describe, expect, it } from 'vitest';
import { findNetworkMount } from './find-network-mount.ts';

const desktop = `
22 27 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:5 - proc proc rw
27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
30 27 0:26 / /run rw,nosuid,nodev,size=3289820k shared:6 - tmpfs tmpfs rw,mode=755
98 27 259:1 / /boot/efi rw,relatime shared:47 - vfat /dev/nvme0n1p1 rw,fmask=0077
150 27 0:50 / /home rw,relatime shared:80 - nfs4 files.example:/export/home rw,vers=4.2,rsize=1048576,proto=tcp
151 150 0:52 / /home/ada/local rw,relatime shared:81 - btrfs /dev/sdb1 rw,space_cache=v2
152 27 0:53 / /mnt/my\\040shared\\011disk rw,relatime shared:82 - cifs //nas/my\\040disk rw,vers=3.1.1
153 27 0:54 / /mnt/odd\\134name rw - fuse.sshfs ada@host:/ rw,user_id=1000
154 27 0:55 / /mnt/app rw,nosuid - fuse.portal portal rw,user_id=1000
155 27 0:56 / /mnt/plain rw,nosuid - fuse /dev/fuse rw
`;

const container = `
1583 1214 0:190 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A:/var/lib/docker/overlay2/l/B
1584 1583 0:193 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
1600 1583 0:60 / /data rw,relatime master:90 - ceph 10.0.0.1:6789:/ rw,name=app
1601 1583 259:2 /volumes/v1 /data rw,relatime - ext4 /dev/nvme0n1p2 rw
1602 1583 0:61 /inside/a - b /bound rw - xfs /dev/sdc rw
`;

const windows = `
60 80 8:32 / / rw,relatime - ext4 /dev/sdc rw,discard
90 60 0:59 / /mnt/c rw,noatime - 9p C:\\134 rw,dirsync,aname=drvfs;path=C:\\;uid=1000;symlinkroot=/mnt/,mmap,access=client
91 60 0:60 / /mnt/d rw,noatime - 9p drvfs rw,dirsync,mmap,access=client
92 60 0:61 / /usr/lib/wsl/drivers ro,nosuid,nodev,noatime - 9p drivers ro,dirsync,aname=drivers;fmask=222
`;

describe('findNetworkMount', () => {
  it.each([
    [desktop, '/home/ada/.local/share/fovea', 'nfs4', '/home'],
    [desktop, '/home', 'nfs4', '/home'],
    [desktop, '/mnt/my shared\tdisk/fovea', 'cifs', '/mnt/my shared\tdisk'],
    [desktop, '/mnt/odd\\name/x', 'fuse.sshfs', '/mnt/odd\\name'],
    [windows, '/mnt/c/Users/ada/fovea', '9p', '/mnt/c'],
    [windows, '/mnt/d/fovea', '9p', '/mnt/d'],
  ])('names the one that a path lies in (%#)', (table, path, kind, mountPoint) => {
    expect(findNetworkMount(table, path)).toEqual({ kind, mountPoint });
  });

  it.each([
    [desktop, '/var/lib/fovea'],
    [desktop, '/homestead/fovea'],
    [desktop, '/home/ada/local/fovea'],
    [desktop, '/mnt/app/fovea'],
    [desktop, '/mnt/plain/fovea'],
    [container, '/root/.fovea'],
    [container, '/bound/x'],
    [windows, '/home/ada/fovea'],
    [windows, '/usr/lib/wsl/drivers/x'],
    ['', '/home/ada'],
    ['nonsense\n1 2 3', '/home/ada'],
  ])('finds none where the file system is a local one (%#)', (table, path) => {
    expect(findNetworkMount(table, path)).toBeUndefined();
  });

  it('takes the later of two that are mounted on the same point', () => {
    expect(findNetworkMount(container, '/data/fovea')).toBeUndefined();
    const swapped = container.split('\n').reverse().join('\n');
    expect(findNetworkMount(swapped, '/data/fovea')).toEqual({ kind: 'ceph', mountPoint: '/data' });
  });

  it.each([
    'nfs',
    'smb3',
    'smbfs',
    'afs',
    'lustre',
    'gpfs',
    'fuse.rclone',
    'fuse.s3fs',
    'fuse.gcsfuse',
    'fuse.glusterfs',
  ])('knows %s', (kind) => {
    const table = `27 1 8:1 / / rw - ext4 /dev/sda rw\n40 27 0:40 / /net rw,relatime - ${kind} remote:/ rw`;
    expect(findNetworkMount(table, '/net/fovea')).toEqual({ kind, mountPoint: '/net' });
  });
});
