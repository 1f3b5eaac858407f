/** A real podman with an image of its own, made from programs of this machine: no registry is asked. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Podman {
  /** Stands for podman on this machine. */
  readonly program: string;
  readonly image: string;
  /** Removes the image and all containers of a home. */
  remove(): void;
}

/** What a container may hold open and start: where podman's own numbers are more than this machine allows. */
const settings = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
netns = "none"
[engine]
cgroup_manager = "cgroupfs"
`;

/** Returns why there can be none. */
export function openPodman(): Podman | string {
  if (!existsSync('/bin/busybox') || !existsSync('/bin/bash')) return 'busybox-static is not installed';
  const scratch = mkdtempSync(join(tmpdir(), 'hermes-podman-'));
  writeFileSync(join(scratch, 'containers.conf'), settings);
  const image = `hermes-test-${scratch.slice(-6).toLowerCase()}:1`;
  const archive = makeImage(scratch);
  let reason = '';
  for (const [index, line] of startLines.entries()) {
    const program = join(scratch, `podman-${index}`);
    writeFileSync(program, `#!/bin/sh\nexport CONTAINERS_CONF=${scratch}/containers.conf\n${line}\n`);
    chmodSync(program, 0o755);
    const remove = (): void => {
      spawnSync(program, ['rmi', '-f', image]);
      rmSync(scratch, { recursive: true, force: true });
    };
    const imported = spawnSync(program, ['import', archive, image], { encoding: 'utf8' });
    const tried =
      imported.status === 0
        ? spawnSync(program, ['run', '--rm', '--init', image, 'true'], { encoding: 'utf8' })
        : imported;
    if (tried.status === 0) return { program, image, remove };
    reason = tried.error?.message ?? tried.stderr.trim().split('\n').at(-1) ?? '';
    spawnSync(program, ['rmi', '-f', image]);
  }
  rmSync(scratch, { recursive: true, force: true });
  return `podman cannot run a container here: ${reason}`;
}

/** As it is; and for machines with both kinds of control groups, which crun refuses, without the second. */
const startLines = [
  'exec podman "$@"',
  `exec unshare -m sh -c 'umount /sys/fs/cgroup/unified; exec podman "$@"' podman "$@"`,
];

/** bash with its libraries, and everything else from BusyBox. */
function makeImage(scratch: string): string {
  const root = join(scratch, 'root');
  const folders = 'bin usr/bin etc tmp root proc sys dev run var/tmp workspace home usr/share';
  for (const name of folders.split(' ')) mkdirSync(join(root, name), { recursive: true });
  copyFileSync('/bin/busybox', join(root, 'bin/busybox'));
  chmodSync(join(root, 'bin/busybox'), 0o755);
  const applets = execFileSync('/bin/busybox', ['--list'], { encoding: 'utf8' }).split('\n');
  for (const name of applets) {
    if (name !== '' && name !== 'busybox' && name !== 'bash') symlinkSync('/bin/busybox', join(root, 'bin', name));
  }
  const libraries = execFileSync('ldd', ['/bin/bash'], { encoding: 'utf8' }).match(/\/[^\s)]+/g) ?? [];
  for (const file of ['/bin/bash', ...libraries]) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    copyFileSync(file, join(root, file));
    chmodSync(join(root, file), 0o755);
  }
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/bash\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n');
  const archive = join(scratch, 'image.tar');
  execFileSync('tar', ['-C', root, '-cf', archive, '.']);
  return archive;
}
