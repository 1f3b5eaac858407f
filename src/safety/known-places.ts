/** Where the guarded places are for one person, and by which names a path reaches them. */
import { comparablePath, isInside } from './comparable-path.ts';
import {
  credentialPaths,
  laterPaths,
  packagedOnly,
  packagedPaths,
  personalFolder,
  systemPaths,
  writeProtectedPaths,
} from './guarded-paths.ts';
import { type Disk, GuardedIdentities } from './same-file.ts';

export interface PathGuardOptions {
  /** The active home, absolute. */
  readonly homePath: string;
  /** The directory that owns `profiles/`; the homes of all profiles are guarded. */
  readonly root: string;
  /** The user's own directory. */
  readonly userHome: string;
  /** Where the session began: work in the middle of packaged software (`/opt/shop`) is free. */
  readonly workspace?: string;
  /** Where this program lies: it is not changed by what it runs, except where the session works on it. */
  readonly program?: string;
  /** More paths that may be neither read nor written, absolute; a directory stands for all below it. */
  readonly extra?: readonly string[];
  /** Follows symbolic links, so that a guarded file is also guarded where it really lies. Default: paths are real. */
  readonly follow?: (path: string) => string;
  /** Sees through bind mounts and hard links. Absent: a file has one name. */
  readonly disk?: Disk | undefined;
}

/** All are comparable paths, each beside the one where it really lies. */
export interface KnownPlaces {
  readonly credentials: ReadonlySet<string>;
  readonly writeProtected: ReadonlySet<string>;
  readonly later: ReadonlySet<string>;
  readonly system: ReadonlySet<string>;
  readonly packaged: ReadonlySet<string>;
  /** This program, where nobody works on it. */
  readonly program: ReadonlySet<string>;
  /** Those of the agent. */
  readonly homes: ReadonlySet<string>;
  /** Work and homes in the middle of what is packaged. */
  readonly ownPlaces: ReadonlySet<string>;
  /** Folders right below which something lies that must not be read. */
  readonly holders: ReadonlySet<string>;
  /** What a link of the home leads to: by its name in the home. */
  readonly linked: readonly { readonly name: string; readonly real: string }[];
}

export function findPlaces(options: PathGuardOptions): KnownPlaces {
  const { userHome, homePath, root, follow = (path: string) => path } = options;
  const both = (path: string): string[] => [...new Set([comparablePath(path), comparablePath(follow(path))])];
  const places = (paths: readonly string[]): ReadonlySet<string> =>
    new Set(paths.map((path) => atHome(path, userHome)).flatMap(both));
  const packaged = places(packagedPaths);
  const homes = new Set(homesOf(options).flatMap(both));
  const credentials = places([...credentialPaths, ...(options.extra ?? [])]);
  const linked = ['.env', 'auth.json', 'config.yaml', 'state.db', 'SOUL.md', 'memories', 'skills']
    .map((name) => ({ name, real: comparablePath(follow(`${homePath}/${name}`)) }))
    // A link may also lead to another name in the home, which says nothing of what it is.
    .filter(({ name, real }) => real !== comparablePath(`${follow(homePath)}/${name}`));
  const program = new Set(both(options.program ?? homePath));
  const isWorkedOn = both(options.workspace ?? homePath).some((path) => isInside(path, program));
  const guarded = [...credentials, ...homes, ...linked.map(({ real }) => real)];
  return {
    credentials,
    writeProtected: places(writeProtectedPaths),
    later: places(laterPaths),
    system: places(systemPaths),
    packaged,
    program: options.program === undefined || isWorkedOn ? new Set() : program,
    homes,
    ownPlaces: new Set(
      [options.workspace ?? homePath, userHome, homePath, root]
        .flatMap(both)
        .filter((path) => isInside(path, packaged) && !packaged.has(path) && !packagedOnly.test(path)),
    ),
    linked,
    holders: new Set(guarded.map((path) => path.slice(0, path.lastIndexOf('/')))),
  };
}

/** The names of paths, as the disk is at one moment. */
export interface PathNames {
  /** The comparable names under which a path is to be judged, its own first. */
  of(realPath: string): readonly string[];
  /** True when a file has another name, and that could be a guarded one. */
  hasMore(realPath: string): boolean;
}

export function readNames(options: PathGuardOptions): PathNames {
  const { disk, userHome } = options;
  const all = [...credentialPaths, ...writeProtectedPaths, ...laterPaths, ...systemPaths, ...packagedPaths];
  const places = [...homesOf(options), userHome, ...all, ...(options.extra ?? []), '/'];
  const folders = [...credentialPaths, ...homesOf(options).flatMap(withSecrets)];
  const absolute = (paths: readonly string[]): string[] => paths.map((path) => atHome(path, userHome));
  const known = disk === undefined ? undefined : new GuardedIdentities(disk, absolute(places), absolute(folders));
  const theirs = comparablePath(userHome);
  return {
    of(realPath) {
      const own = comparablePath(realPath);
      const other = known?.otherName(realPath);
      const names = other === undefined ? [own] : [own, comparablePath(other)];
      // What is guarded in this person's directory is so in everybody's.
      return [...new Set(names.flatMap((name) => [name, name.replace(personalFolder, () => theirs)]))];
    },
    // A look at each of many thousand files would take longer than the search that found them.
    hasMore: (realPath) => known?.haveLinks === true && (disk?.identify(realPath)?.names ?? 1) > 1,
  };
}

function homesOf({ homePath, root, userHome }: PathGuardOptions): readonly string[] {
  return [homePath, root, `${userHome}/.hermes`];
}

/** A home, and its folders in which credentials lie. */
function withSecrets(home: string): readonly string[] {
  const folders = [
    'auth',
    'cache',
    'credentials',
    'gateway',
    'mcp-tokens',
    'pairing',
    'platforms',
    'platforms/pairing',
  ];
  return [home, ...folders.map((name) => `${home}/${name}`)];
}

function atHome(path: string, userHome: string): string {
  return path.startsWith('/') || /^[a-z]:/i.test(path) ? path : `${userHome}/${path}`;
}
