/** What commands know of the machine and the terminal that the user sits at. */
import type { CheckpointLimits } from '../checkpoints/limits.ts';
import type { Variables } from '../config/variables.ts';

export interface RealPaths {
  readonly homePath: string;
  readonly cwd: string;
  readonly env: Variables;
  /** What the configuration says about checkpoints of files. */
  readonly checkpoints: () => CheckpointLimits;
  /** `security.allow_private_urls` and `skills.disabled` as they stand in the file now. */
  skillRules(): Promise<{ readonly allowPrivateUrls: boolean; readonly disabled: readonly string[] }>;
}

/** The colours and words of a terminal. */
export interface Looks {
  /** Name of the skin that is worn. */
  readonly current: string;
  /** What stands above the list of commands; empty = nothing. */
  readonly helpHeader: string;
  /** Those that come along, then the user's own. */
  list(): Promise<readonly SkinRow[]>;
  /** From now on; returns lines that the user should know. Throws `UserError` for a name that is none. */
  wear(name: string): Promise<readonly string[]>;
}

export interface SkinRow {
  readonly name: string;
  readonly description: string;
  /** It is a file of the home. */
  readonly own: boolean;
}
