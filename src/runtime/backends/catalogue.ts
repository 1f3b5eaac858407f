/** All terminal backends but this machine itself: one file and one line each. */
import { isAbsolute, posix, relative, sep } from 'node:path';
import type { Config } from '../../config/schema.ts';
import type { Environment } from '../../environments/environment.ts';
import { createLazyEnvironment } from '../../environments/lazy-environment.ts';
import type { BackendModule, BackendParts } from './backend.ts';
import { isDockerBoundary } from './docker-boundary.ts';
import { remoteStart } from './remote-start.ts';

type Terminal = Config['terminal'];
type RemoteKind = Exclude<Environment['kind'], 'local'>;

interface CatalogueEntry {
  load(): Promise<BackendModule>;
  /** Commands and files are in a container that is the boundary: nothing of this machine can be reached from inside. */
  isContainer(terminal: Terminal): boolean;
  /** Where the home's skills and files are for commands, when that is not below the user's directory there. */
  readonly homeThere?: string;
  /** It costs something while nobody uses it: it is closed then, and opened again with the next command. */
  closesWhenIdle(terminal: Terminal): boolean;
}

/** Of containers of this machine, whose mounts are made before anybody knows whose directory that is. */
const containerHome = '/root/.hermes';

const catalogue: Readonly<Record<RemoteKind, CatalogueEntry>> = {
  docker: {
    load: () => import('./docker.ts'),
    homeThere: containerHome,
    isContainer: isDockerBoundary,
    closesWhenIdle: (terminal) => !terminal.docker_persist_across_processes,
  },
  singularity: {
    load: () => import('./singularity.ts'),
    homeThere: containerHome,
    isContainer: () => true,
    closesWhenIdle: () => true,
  },
  ssh: { load: () => import('./ssh.ts'), isContainer: () => false, closesWhenIdle: () => false },
  modal: { load: () => import('./modal.ts'), isContainer: () => true, closesWhenIdle: () => true },
  daytona: { load: () => import('./daytona.ts'), isContainer: () => true, closesWhenIdle: () => true },
};

export interface RemoteBackend {
  readonly environment: Environment;
  readonly insideContainer: boolean;
  /** Brings files of the home there before the next command: credential files that a skill asks for. */
  readonly shareFiles: (paths: readonly string[]) => void;
  /** Where commands find what is in the home here; what is elsewhere keeps its path. */
  readonly pathThere: (path: string) => string;
}

/** Loads nothing before the first command. */
export function openRemoteBackend(kind: RemoteKind, parts: Omit<BackendParts, 'start' | 'sharedFiles'>): RemoteBackend {
  const entry = catalogue[kind];
  const { terminal } = parts.config.config;
  const shared = new Set<string>();
  const environment = createLazyEnvironment({
    kind,
    cwd: remoteStart(kind, terminal),
    ...(entry.closesWhenIdle(terminal) ? { idleMs: terminal.lifetime_seconds * 1000 } : {}),
    log: parts.log.named('environments'),
    load: async (start) => (await entry.load()).open({ ...parts, start, sharedFiles: () => [...shared] }),
  });
  return {
    environment,
    insideContainer: entry.isContainer(terminal),
    shareFiles: (paths) => {
      for (const path of paths) shared.add(path);
    },
    pathThere: (path) => {
      const inside = relative(parts.home.path, path);
      if (inside.startsWith('..') || isAbsolute(inside)) return path;
      return posix.join(entry.homeThere ?? environment.files.resolve('~/.hermes'), ...inside.split(sep));
    },
  };
}
