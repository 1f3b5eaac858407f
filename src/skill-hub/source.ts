/** What a place is that skills can be had from. To add one: a file in `sources/` and a line in `catalogue.ts`. */
import type { TrustLevel } from '../safety/skill-guard/guard.ts';

/** A skill as it is offered, before anything of it but its header was read. */
export interface SkillOffer {
  readonly name: string;
  readonly description: string;
  /** What `install` takes. */
  readonly identifier: string;
  readonly source: string;
  readonly trust: TrustLevel;
  /** A label of the source; it decides nothing. */
  readonly category?: string;
}

/** A skill in memory: relative paths with forward slashes, each checked by `checkMembers`. */
export interface FetchedSkill {
  /** From the header, the folder or the address; absent when none of them gives a usable one. */
  readonly name: string | undefined;
  /** The full identifier, under which an update finds it again. */
  readonly identifier: string;
  readonly source: string;
  readonly trust: TrustLevel;
  readonly files: ReadonlyMap<string, Buffer>;
  /** Kept in the lock file: a commit, for instance. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * A place that skills can be installed from.
 *
 * @example
 * const offers = await source.offers('pdf', signal, warn);
 * if (source.owns(identifier)) await install(await source.fetch(identifier, signal));
 */
export interface SkillSource {
  /** As `--source` names it. */
  readonly id: string;
  /** True when an identifier is one of this source. */
  owns(identifier: string): boolean;
  /**
   * Everything that is offered, or what `query` may find; the caller filters and cuts. `warn` takes one line for each
   * part that could not be asked.
   */
  offers(query: string, signal: AbortSignal, warn: (line: string) => void): Promise<readonly SkillOffer[]>;
  /** Downloads one skill whole and runs nothing of it. Throws `UserError`. */
  fetch(identifier: string, signal: AbortSignal): Promise<FetchedSkill>;
}
