/** Puts the lists of places into the words of bubblewrap. */
import { existing, foldersBetween, isWithin, type Place, type SandboxPlaces } from './places.ts';

export interface Layout {
  readonly arguments: readonly string[];
  /** What is covered inside, for a later look whether it still is what it was. */
  readonly covers: readonly Cover[];
}

/** One path that differs inside. */
export interface Cover {
  readonly place: Place;
  readonly how: 'writable' | 'readOnly' | 'hidden' | 'shown';
}

/** What programs need of `/run`: name resolution, and the programs themselves where a system keeps them there. */
const keptOfRun = [
  '/run/systemd/resolve',
  '/run/resolvconf',
  '/run/NetworkManager/resolv.conf',
  '/run/NetworkManager/no-stub-resolv.conf',
  '/run/connman',
  '/run/current-system',
  '/run/booted-system',
  '/run/opengl-driver',
];
/** What root may change of the kernel even without capabilities. */
const kernelSwitches = [
  '/proc/sys',
  '/proc/sysrq-trigger',
  '/proc/irq',
  '/proc/bus',
  '/proc/fs',
  '/proc/acpi',
  '/proc/scsi',
];
const kernelSecrets = [
  '/proc/kcore',
  '/proc/kmsg',
  '/proc/keys',
  '/proc/key-users',
  '/proc/kallsyms',
  '/proc/kpagecount',
  '/proc/kpageflags',
  '/proc/kpagecgroup',
  '/proc/timer_list',
  '/proc/sched_debug',
  '/proc/latency_stats',
];
const kernelFolders = [
  '/sys/kernel/debug',
  '/sys/kernel/tracing',
  '/sys/kernel/security',
  '/sys/fs/bpf',
  '/sys/fs/pstore',
];

/**
 * @param emptyFile covers hidden files
 * @param own folders of ours that commands inside read and write, or only read, whatever hides them
 */
export function layOut(
  places: SandboxPlaces,
  emptyFile: string,
  own: { readonly inside: string; readonly door: string },
): Layout {
  const covers = coversOf(places);
  const hiddenFolders = covers.filter(({ how, place }) => how === 'hidden' && place.kind === 'directory');
  return {
    covers,
    arguments: [
      ...'--ro-bind / / --dev /dev --proc /proc'.split(' '),
      ...existing(kernelSwitches).flatMap(({ path }) => ['--ro-bind', path, path]),
      ...existing(kernelSecrets).flatMap(({ path }) => ['--ro-bind', '/dev/null', path]),
      ...existing(kernelFolders).flatMap(({ path }) => ['--tmpfs', path, '--remount-ro', path]),
      ...existing(['/run', '/var/run']).flatMap(({ path }) => ['--tmpfs', path]),
      ...existing(keptOfRun).flatMap(({ path }) => ['--ro-bind', path, path]),
      ...covers.flatMap((cover) => wordsOf(cover, emptyFile)),
      ...['--bind', own.inside].concat(own.inside, '--ro-bind', own.door, own.door),
      // Last: as long as they can be written, what lies in them gets its places.
      ...hiddenFolders.flatMap(({ place }) => ['--remount-ro', place.path]),
    ],
  };
}

/** Outermost first, so that the narrower one wins. */
export function coversOf(places: SandboxPlaces): readonly Cover[] {
  const found = new Map<string, Cover>();
  const add = (how: Cover['how'], list: readonly Place[]): void => {
    for (const place of list) found.set(place.path, { how, place });
  };
  const hidden = existing(places.hidden);
  const writable = existing(places.writable).filter(
    ({ path, kind }) => kind === 'directory' && !isInSome(path, hidden),
  );
  const readOnly = existing(places.readOnly).filter(({ path }) => isInSome(path, writable) && !isInSome(path, hidden));
  add('writable', pinned(writable, [...readOnly, ...hidden]));
  add('writable', writable);
  add('readOnly', readOnly);
  add('hidden', outermost(hidden));
  add(
    'shown',
    existing(places.shown).filter(({ path }) => isInSome(path, hidden)),
  );
  return [...found.values()].sort((left, right) => left.place.path.length - right.place.path.length);
}

function wordsOf({ how, place: { path, kind } }: Cover, emptyFile: string): readonly string[] {
  if (how === 'writable') return ['--bind', path, path];
  if (how !== 'hidden') return ['--ro-bind', path, path];
  return kind === 'directory' ? ['--tmpfs', path] : ['--ro-bind', emptyFile, path];
}

/**
 * The folders on the way from a writable one to something kept. A folder that is mounted upon itself cannot be renamed:
 * otherwise moving it away would leave its name free for a copy without what is kept.
 */
function pinned(writable: readonly Place[], kept: readonly Place[]): readonly Place[] {
  const readOnlyOrHidden = new Set(kept.map(({ path }) => path));
  const folders = kept.flatMap(({ path }) => {
    const root = writable.findLast((place) => isWithin(path, place.path));
    if (root === undefined) return [];
    const between = foldersBetween(root.path, path);
    return between.some((folder) => readOnlyOrHidden.has(folder)) ? [] : between;
  });
  return existing([...new Set(folders)]);
}

function isInSome(path: string, places: readonly Place[]): boolean {
  return places.some((place) => isWithin(path, place.path));
}

function outermost(places: readonly Place[]): readonly Place[] {
  return places.filter(({ path }) => !places.some((other) => other.path !== path && isWithin(path, other.path)));
}
