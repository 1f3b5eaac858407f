/** The gateway as a service of the system: what it is called, what it runs, and what can be asked of it. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Home } from '../../config/home.ts';

/** What the service runs, and as whom. */
export interface ServiceFacts {
  readonly home: Home;
  /** Absolute paths of Node and of the program's launcher. */
  readonly node: string;
  readonly script: string;
  /** Programs are looked for there, as in the shell that installed it. */
  readonly path: string;
  /** Seconds that running turns get when it is stopped. */
  readonly drainSeconds: number;
  /** It is started again when it gives no sign of life for so long; 0: never. */
  readonly watchdogSeconds: number;
}

export interface ServiceStatus {
  readonly installed: boolean;
  readonly active: boolean;
  /** It starts by itself. */
  readonly enabled: boolean;
  /** What stands in the definition is not what would be written today. */
  readonly stale: boolean;
}

export interface InstallOptions {
  readonly startNow: boolean;
  readonly startOnLogin: boolean;
}

/** One manager of services. Every method throws `UserError` when the manager refuses. */
export interface Service {
  /** Where its definition stands. */
  readonly file: string;
  status(): Promise<ServiceStatus>;
  /** Writes the definition; false: it stood there like that. */
  install(options: InstallOptions): Promise<boolean>;
  uninstall(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of the system. Rejects when there is none of the name. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<RunResult>;

/** What is put behind the name: nothing for the default home, the profile's name, or a part of the path's hash. */
export function serviceSuffix({ path, root, profile }: Home, userDirectory: string): string {
  if (root !== join(userDirectory, '.hermes')) {
    return `-${createHash('sha256').update(path).digest('hex').slice(0, 8)}`;
  }
  return profile === 'default' ? '' : `-${profile}`;
}
