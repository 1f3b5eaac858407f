/**
 * The sandbox of macOS. It goes by names, so what comes to be later is covered as well; it is no process, and programs
 * inside see each other through the machine's own network.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { foldersBetween, isWithin, type SandboxPlaces } from './places.ts';
import type { Sandbox } from './sandbox.ts';

/** Part of the system, which cannot be replaced (System Integrity Protection). */
export const seatbeltProgram = '/usr/bin/sandbox-exec';

export interface SeatbeltOptions {
  readonly places: SandboxPlaces;
  /** Folders of ours: written inside, and only read. */
  readonly inside: string;
  readonly door: string;
  /** False: programs reach this machine alone. */
  readonly reachesHosts: boolean;
}

export function seatbeltSandbox(options: SeatbeltOptions): Sandbox {
  return {
    alive: true,
    pid: undefined,
    prefix: () => [seatbeltProgram, '-p', seatbeltProfile(options)],
    // Its rules name what is not there yet as well.
    cover: () => Promise.resolve(),
    close: () => undefined,
  };
}

/** The rules as text; of those that fit an access the last one counts. */
export function seatbeltProfile({ places, inside, door, reachesHosts }: SeatbeltOptions): string {
  const rules = [
    ...places.writable.map((path) => ({ path, rule: allow('file-write*') })),
    ...places.readOnly.map((path) => ({ path, rule: deny('file-write*') })),
    ...places.hidden.map((path) => ({ path, rule: deny('file-read* file-write* network-outbound') })),
    ...places.shown.map((path) => ({ path, rule: allow('file-read*') })),
    { path: inside, rule: allow('file-read* file-write*') },
    { path: door, rule: allow('file-read* network-outbound') },
  ].flatMap(({ path, rule }) => namesOf(path).map((name) => ({ path: name, rule })));
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/ptmx") (regex #"^/dev/(tty|fd/)"))',
    ...rules.toSorted((left, right) => left.path.length - right.path.length).map(({ path, rule }) => rule(path)),
    ...pinned(places).map((path) => `(deny file-write-unlink (literal ${quote(path)}))`),
    ...others,
    ...(reachesHosts ? [] : ['(deny network*)', ...nearby]),
  ].join('\n');
}

/** Other programs: their processes, what they offer, and how they are asked to do something. */
const others = [
  '(deny signal) (allow signal (target same-sandbox))',
  '(deny process-info*) (allow process-info* (target same-sandbox))',
  '(deny mach-priv*) (deny mach-register) (deny job-creation)',
  '(deny appleevent-send) (deny lsopen)',
  '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd.xpc"))',
  '(deny mach-lookup (global-name "com.apple.pasteboard.1") (global-name "com.apple.coreservices.launchservicesd"))',
  '(deny system-kext-load) (deny nvram*) (deny sysctl-write)',
  '(deny network-outbound (subpath "/private/var/run") (regex #"^/private/tmp/com\\.apple\\.launchd\\."))',
  '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
];
const nearby = [
  '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))',
  '(allow network* (subpath "/private/tmp") (subpath "/private/var/folders"))',
];

function allow(what: string): (path: string) => string {
  return (path) => `(allow ${what} (subpath ${quote(path)}))`;
}

function deny(what: string): (path: string) => string {
  return (path) => `(deny ${what} (subpath ${quote(path)}))`;
}

/** A folder on the way to something kept must not be moved away, which would leave its name free. */
function pinned({ writable, readOnly, hidden }: SandboxPlaces): readonly string[] {
  const folders = [...readOnly, ...hidden].flatMap((path) => {
    const root = writable.filter((folder) => isWithin(path, folder)).sort((a, b) => b.length - a.length)[0];
    return root === undefined ? [] : [...foldersBetween(root, path), path];
  });
  return [...new Set(folders.flatMap(namesOf))];
}

/** As it is called, and as it is called without symbolic links (`/tmp` is `/private/tmp`). */
function namesOf(path: string): readonly string[] {
  return [...new Set([path, realOf(path)])];
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet: the folder that it will come to be in may have another name.
    return path === '/' ? path : join(realOf(dirname(path)), basename(path));
  }
}

function quote(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
