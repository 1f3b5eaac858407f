/** Why commands cannot be confined on this machine, and what a person can do about it. */
import { readFileSync } from 'node:fs';
import { findSystemProgram } from './programs.ts';
import type { SandboxPrograms } from './linux-sandbox.ts';

/** Debian's names; util-linux brings all but the first and the last. */
const needed = ['bwrap', 'nsenter', 'setpriv', 'unshare', 'mount', 'sh'] as const;

export interface WhyNot {
  readonly problem: string;
  readonly remedy: string;
}

/** The programs, or what is the matter. */
export function findSandboxPrograms(): SandboxPrograms | WhyNot {
  if (process.platform !== 'linux') {
    return {
      problem: `There is no sandbox for commands on ${process.platform} in this build.`,
      remedy: 'Use a container: hermes config set terminal.backend docker',
    };
  }
  const [bwrap, nsenter, setpriv, unshare, mount, sh] = needed.map(findSystemProgram);
  if (bwrap === undefined) {
    return {
      problem: 'bubblewrap is not installed in a folder of the system that only root can change.',
      remedy: 'Install it: `apt install bubblewrap`, `dnf install bubblewrap` or `pacman -S bubblewrap`.',
    };
  }
  if (
    nsenter === undefined ||
    setpriv === undefined ||
    unshare === undefined ||
    mount === undefined ||
    sh === undefined
  ) {
    const missing = needed.filter((name) => findSystemProgram(name) === undefined).join(', ');
    return {
      problem: `A sandbox needs ${missing}, which the folders of the system do not have.`,
      remedy: 'Install the package util-linux.',
    };
  }
  const script = findSystemProgram('script');
  const perl = findSystemProgram('perl');
  return {
    bwrap,
    nsenter,
    setpriv,
    unshare,
    mount,
    sh,
    ...(script === undefined ? {} : { script }),
    ...(perl === undefined ? {} : { perl }),
  };
}

/** What to do where bubblewrap is there and does not start. */
export function remedyFor(message: string): string {
  if (readNumber('/proc/sys/kernel/unprivileged_userns_clone') === 0) {
    return 'Allow user namespaces: `sudo sysctl -w kernel.unprivileged_userns_clone=1`, and in /etc/sysctl.d/ to keep it.';
  }
  if (readNumber('/proc/sys/user/max_user_namespaces') === 0) {
    return 'Allow user namespaces: `sudo sysctl -w user.max_user_namespaces=15000`, and in /etc/sysctl.d/ to keep it.';
  }
  if (readNumber('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === 1) {
    return 'AppArmor keeps programs from making user namespaces. Install a profile for bwrap (Ubuntu: `apt install apparmor-profiles`, then enable bwrap-userns-restrict), or `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`.';
  }
  if (/permi|not permitted/i.test(message)) {
    return 'Inside a container, it must be allowed to make user namespaces (Docker: `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`), or the container itself may be the sandbox.';
  }
  return 'Try `bwrap --unshare-user --ro-bind / / true` to see more.';
}

function readNumber(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    // This kernel has no such switch.
    return undefined;
  }
}
