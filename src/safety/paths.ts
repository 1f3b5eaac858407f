/** Which files the agent's file tools must not read, write or move, judged on real paths. */
import { isInside } from './comparable-path.ts';
import { freeInSystem, laterPatterns, systemPatterns } from './guarded-paths.ts';
import { homeFileKind } from './home-files.ts';
import { isProjectRules } from './lasting-files.ts';
import { findPlaces, type KnownPlaces, type PathGuardOptions, type PathNames, readNames } from './known-places.ts';
import { readablePaths } from './readable-paths.ts';

/**
 * Each answer is the reason as the model is told it, or `undefined` when there is nothing against it.
 *
 * @example
 * const reason = guard.denyRead(await files.realPath(path));
 * if (reason !== undefined) return failure(reason);
 */
export interface PathGuard {
  denyRead(realPath: string): string | undefined;
  /** Those of many paths that may be read: as `denyRead`, but the disk is looked at once. */
  readable(realPaths: Iterable<string>): ReadonlySet<string>;
  /** The same by the names alone, in their order, for what is only named and not opened. */
  readableNames(realPaths: Iterable<string>): readonly string[];
  denyWrite(realPath: string): string | undefined;
  /** For removing and renaming: a directory must not go when something guarded is in it. */
  denyMove(realPath: string): string | undefined;
  /** True for what later conversations begin with: memory, skills, the agent's character, rules of projects. */
  isLearned(realPath: string): boolean;
  /** True for files that a program runs by itself later, such as git hooks: a person is asked before each write. */
  runsLater(realPath: string): boolean;
}

const publicKeyFile = /\/\.ssh\/(?:[^/]+\.pub|known_hosts(?:\.old)?)$/;
/** Where projects keep their keys; a `.env.example` holds none. */
const environmentFile = /\/\.env(?:rc|\.(?:local|development|production|test|staging))?$/;
const processSecret =
  /^\/proc\/[^/]+(?:\/task\/[^/]+)?\/(?:environ|cmdline|maps|smaps|smaps_rollup|numa_maps|mem|auxv|pagemap)$/;
const writableDevice = /^\/dev\/(?:null|zero|full|tty|stdout|stderr|fd\/\d+|shm\/.+)$/;

/**
 * Paths given to the guard must be real (links followed) and absolute. They are compared as any file system would. `places`:
 * those of these options, where somebody has just looked.
 */
export function createPathGuard(options: PathGuardOptions, places: KnownPlaces = findPlaces(options)): PathGuard {
  const denyRead = (realPath: string, names: PathNames): string | undefined =>
    firstOf(names.of(realPath), (path) => readProblem(path, realPath, places));
  const denyWrite = (realPath: string, names: PathNames): string | undefined =>
    firstOf(names.of(realPath), (path) => writeProblem(path, realPath, places));
  const readable = (paths: Iterable<string>, names: PathNames): readonly string[] =>
    readablePaths(paths, names, places, (path) => denyRead(path, names) === undefined);
  return {
    denyRead: (realPath) => denyRead(realPath, readNames(options)),
    readable: (realPaths) => new Set(readable(realPaths, readNames(options))),
    readableNames: (realPaths) => readable(realPaths, readNames({ ...options, disk: undefined })),
    denyWrite: (realPath) => denyWrite(realPath, readNames(options)),
    denyMove(realPath) {
      const names = readNames(options);
      const denied = denyWrite(realPath, names);
      return denied ?? firstOf(names.of(realPath), (path) => moveProblem(path, realPath, places));
    },
    isLearned: (realPath) =>
      readNames(options)
        .of(realPath)
        .some((path) => homeKind(path, places) === 'learned' || isProjectRules(path)),
    runsLater: (realPath) =>
      readNames(options)
        .of(realPath)
        .some((path) => isInside(path, places.later) || laterPatterns.some((pattern) => pattern.test(path))),
  };
}

function homeKind(path: string, { homes, linked }: KnownPlaces) {
  const link = linked.find(({ real }) => path === real || path.startsWith(`${real}/`));
  const inside = link === undefined ? pathInHome(path, homes) : link.name + path.slice(link.real.length);
  return inside === undefined ? undefined : homeFileKind(inside);
}

function readProblem(path: string, realPath: string, places: KnownPlaces): string | undefined {
  if (pathInHome(path, places.homes)?.match(/^skills\/\.hub(?:\/|$)/)) {
    return `Access denied: ${realPath} is a catalogue cache. Use skills_list and skill_view to see skills.`;
  }
  const secret =
    homeKind(path, places) === 'credential' ||
    isInside(path, places.credentials) ||
    [processSecret, environmentFile].some((names) => names.test(path));
  if (!secret || publicKeyFile.test(path)) return undefined;
  return `Access denied: ${realPath} holds credentials. Ask the user for what you need from it, or use a program that reads it itself.`;
}

function writeProblem(path: string, realPath: string, places: KnownPlaces): string | undefined {
  if (/^config\.ya?ml$/.test(pathInHome(path, places.homes) ?? '')) {
    return `Refusing to write to Hermes config file: ${realPath}. Only the user changes it, for example with \`hermes config\`; tell them what to change.`;
  }
  const kind = homeKind(path, places);
  if ((kind !== undefined && kind !== 'learned') || places.homes.has(path)) {
    return `Write denied: ${realPath} belongs to Hermes' own settings, credentials or records. Only the user changes it, for example with \`hermes config\`; tell them what to change.`;
  }
  if (isInside(path, places.program)) {
    return `Write denied: ${realPath} is part of Hermes itself. Only the user changes it, for example with \`hermes update\`.`;
  }
  const device = path.startsWith('/dev/') && !writableDevice.test(path);
  if (device || isInside(path, places.credentials) || isInside(path, places.writeProtected)) {
    return `Write denied: ${realPath} is a protected credential, start-up or system file. Ask the user to make this change.`;
  }
  if (!isSystem(path, places)) return undefined;
  return `Refusing to write to sensitive system path: ${realPath}. Ask the user to make this change.`;
}

function isSystem(path: string, { system, packaged, ownPlaces }: KnownPlaces): boolean {
  if (systemPatterns.some((pattern) => pattern.test(path))) return true;
  if (isInside(path, system)) return !freeInSystem.test(path);
  return isInside(path, packaged) && !isInside(path, ownPlaces);
}

function moveProblem(path: string, realPath: string, places: KnownPlaces): string | undefined {
  const { homes, program, credentials, writeProtected, system, packaged, linked } = places;
  const kept = [
    ...homes,
    ...program,
    ...credentials,
    ...writeProtected,
    ...system,
    ...packaged,
    ...linked.map(({ real }) => real),
  ];
  if (!kept.some((guardedPath) => guardedPath.startsWith(path === '/' ? '/' : `${path}/`))) return undefined;
  return `Write denied: ${realPath} contains protected files. Move or remove the files you mean one by one.`;
}

function firstOf(names: readonly string[], problem: (path: string) => string | undefined): string | undefined {
  for (const name of names) {
    const found = problem(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The path inside the home it belongs to; a profile's home counts as a home of its own. */
function pathInHome(path: string, homes: ReadonlySet<string>): string | undefined {
  let home: string | undefined;
  for (const entry of homes) {
    if (path.startsWith(`${entry}/`) && entry.length > (home?.length ?? 0)) home = entry;
  }
  return home === undefined ? undefined : path.slice(home.length + 1).replace(/^profiles\/[^/]+\//, '');
}
