/** What a runtime is made from. */
import type { Home } from '../config/home.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { OpenedStore } from './open-store.ts';

export interface RuntimeOptions {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: LoadedConfig;
  /** Directory that commands and relative paths start from. */
  readonly cwd: string;
  /** Where the user sits: picks the platform's toolsets and the hint in the prompt. */
  readonly surface: string;
  /** Falls back to the offline demo model when nothing is configured; otherwise that is a `NotConfiguredError`. */
  readonly allowDemo: boolean;
  /** For this run only. */
  readonly model?: string;
  readonly provider?: string;
  readonly toolsets?: readonly string[];
  readonly maxTurns?: number;
  readonly yolo: boolean;
  readonly passSessionId: boolean;
  /**
   * No SOUL.md, project files, memory or preloaded skills. A runtime does the same when `HERMES_IGNORE_RULES` or
   * `HERMES_SAFE_MODE` is set.
   */
  readonly ignoreRules: boolean;
  /** Of the program; the skills that come with it are brought to the home when it changes. Absent = they are not. */
  readonly version?: string;
  /** The program stays: what is known of models is brought up to date beside the work. */
  readonly longLived?: boolean;
  /** Opened before, to look for a session; the runtime closes it. Default: the store of the home. */
  readonly opened?: OpenedStore;
}
