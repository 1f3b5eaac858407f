/** What a secret manager is to this program: something that is asked once and gives values of variables. */
import type { SourceFailure } from './failure.ts';

export type SourceName = 'onepassword' | 'bitwarden';

export interface SecretSource {
  /** Its key below `secrets` in the configuration. */
  readonly name: SourceName;
  /** As people call it. */
  readonly label: string;
  /** `mapped`: the user named every variable. `bulk`: whatever a project holds. Mapped ones count before bulk ones. */
  readonly shape: 'mapped' | 'bulk';
  /** Its values replace what is set already. */
  readonly overrides: boolean;
  readonly timeoutSeconds: number;
  /** 0: nothing is kept. */
  readonly cacheSeconds: number;
  /** Name of the file below `cache/` of the home. */
  readonly cacheFile: string;
  /** What the values depend on, as fingerprints; undefined where it cannot be asked anyway. */
  readonly cacheKey: string | undefined;
  /**
   * Must neither prompt nor go on after `signal`. Throws `SourceFailure` when it gives nothing at all; what is wrong with
   * single variables is in the answer.
   */
  ask(signal: AbortSignal): Promise<Answer>;
}

export interface Answer {
  readonly values: ReadonlyMap<string, string>;
  /** Variables that could not be had, each with the reason. */
  readonly problems: readonly Problem[];
}

export interface Problem {
  readonly variable: string;
  readonly failure: SourceFailure;
}
