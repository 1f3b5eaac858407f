/** The `HOME` of commands (`terminal.home_mode`): the person's own, or the one inside the agent's home. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { type HomeVariables, homeVariables } from '../config/home-variables.ts';
import type { Variables } from '../config/variables.ts';

export interface CommandHomeOptions {
  readonly mode: 'auto' | 'real' | 'profile';
  /** The agent's active home. */
  readonly homePath: string;
  readonly env: Variables;
  /** Asked once, and only where it matters. */
  readonly insideContainer?: () => boolean;
}

/**
 * The variables that commands get. `<home>/home` is theirs where it exists and either `profile` asks for it or the
 * agent lives in a container, whose own home goes with it; a program with that `HOME` is led back to the person's.
 */
export function commandHome(options: CommandHomeOptions): Readonly<Record<string, string>> {
  const { mode, env, insideContainer = isContainer } = options;
  const inside = join(options.homePath, 'home');
  const given = homeVariables(env);
  const real = personsHome(given, inside);
  const own = { HERMES_REAL_HOME: real };
  const takesInside = isDirectory(inside) && (mode === 'profile' || (mode === 'auto' && insideContainer()));
  if (takesInside) return { ...own, HOME: inside };
  return mode === 'real' || isSame(given.home, inside) ? { ...own, HOME: real } : own;
}

/** The first that is not the agent's: what somebody says it is, where this program has its own, the account's. */
function personsHome({ home, realHome }: HomeVariables, inside: string): string {
  // The account is looked up where nothing else says it: that reads files with every start.
  for (const candidate of [() => realHome, () => home, accountHome]) {
    const path = candidate();
    if (path !== undefined && !isSame(path, inside)) return path;
  }
  return tmpdir();
}

function isSame(path: string | undefined, other: string): boolean {
  return path !== undefined && resolve(path) === resolve(other);
}

function accountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // Any number can be a user in a container, also one without an account.
    return undefined;
  }
}

const cgroupMarks = /docker|podman|\/lxc\/|kubepods|containerd|crio/;

function isContainer(): boolean {
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) return true;
  // Where the cgroup says nothing, the file of the root does; other mounts may be those of containers beside us.
  const root = textOf('/proc/self/mountinfo')
    .split('\n')
    .find((line) => line.split(' ')[4] === '/');
  return cgroupMarks.test(textOf('/proc/1/cgroup')) || cgroupMarks.test(root ?? '');
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not on this system.
    return '';
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
