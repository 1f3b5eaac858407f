/** What a program is opened with. */
import type { Home } from '../config/home.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Log } from '../lib/log.ts';
import type { SessionStore } from '../sessions/session-store.ts';

export interface ProgramOptions {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: LoadedConfig;
  /** Directory that sessions start in unless they say otherwise. */
  readonly cwd: string;
  /** Of the program; the skills that come with it are brought to the home when it changes. Absent = they are not. */
  readonly version?: string;
  /** The program stays: what is known of models is brought up to date beside the work. */
  readonly longLived?: boolean;
  /** Opened before, to look for a session; the program closes it. Default: the store of the home. */
  readonly opened?: OpenedStore;
  /** Commands of the program that opens it, such as `config` of `hermes config`; plug-ins cannot have them. */
  readonly commandNames?: readonly string[];
  /** Asks the person at the terminal whether a shell hook may run from now on; absent where nobody sits there. */
  readonly askHook?: (hook: { readonly point: string; readonly command: string }) => Promise<boolean>;
  /** Default: the log of the home. */
  readonly log?: Log;
}

export interface OpenedStore {
  /** Undefined when the database cannot be opened or written. */
  readonly store: SessionStore | undefined;
  /** The user is told once that nothing is kept. */
  readonly warnings: readonly string[];
}
