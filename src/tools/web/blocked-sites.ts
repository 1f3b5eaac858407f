/** The owner's list of sites that are not read (`security.website_blocklist`), from the configuration and from files. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { errorCode, errorMessage } from '../../lib/errors.ts';
import { type BlockedSite, blockedSite, readSiteRule, type SiteRule } from '../../safety/site-rules.ts';

export type SiteList = Config['security']['website_blocklist'];

export interface BlockedSitesOptions {
  readonly list: SiteList;
  /** The list as it is written now; undefined where it cannot be read, and the one before holds. Must not reject. */
  readonly reload?: () => Promise<SiteList | undefined>;
  /** Relative paths start there. */
  readonly homePath: string;
  /** Told once for each file that cannot be read: its rules do not count. */
  readonly warn: (line: string) => void;
  readonly now?: () => number;
}

const keptMs = 30_000;
const maxFileChars = 10_000_000;

/** What is written is read with the first question, and again after half a minute. */
export class BlockedSites {
  readonly #options: BlockedSitesOptions;
  #list: SiteList;
  #listUntil: number;
  readonly #warned = new Set<string>();
  #rules: { readonly rules: readonly SiteRule[]; readonly until: number } | undefined;

  constructor(options: BlockedSitesOptions) {
    this.#options = options;
    this.#list = options.list;
    this.#listUntil = this.#now() + keptMs;
  }

  /** To be awaited before an address is asked for: the list is then no older than half a minute. */
  async refresh(): Promise<void> {
    const { reload } = this.#options;
    if (reload === undefined || this.#listUntil > this.#now()) return;
    this.#listUntil = this.#now() + keptMs;
    this.#list = (await reload()) ?? this.#list;
    this.#rules = undefined;
  }

  find({ hostname }: Pick<URL, 'hostname'>): BlockedSite | undefined {
    // A page that is shown cannot wait: the next one finds it read.
    void this.refresh();
    return this.#list.enabled ? blockedSite(hostname, this.#current()) : undefined;
  }

  #current(): readonly SiteRule[] {
    if (this.#rules !== undefined && this.#rules.until > this.#now()) return this.#rules.rules;
    const own = rulesIn(this.#list.domains, 'config');
    const rules = [...own, ...this.#list.shared_files.flatMap((file) => this.#rulesOf(file))];
    this.#rules = { rules, until: this.#now() + keptMs };
    return rules;
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #rulesOf(file: string): readonly SiteRule[] {
    const path = resolve(this.#options.homePath, file);
    try {
      return rulesIn(readFileSync(path, 'utf8').slice(0, maxFileChars).split('\n'), path);
    } catch (error) {
      if (!this.#warned.has(path)) {
        this.#warned.add(path);
        const reason = errorCode(error) ?? errorMessage(error);
        this.#options.warn(
          `security.website_blocklist.shared_files: ${path} cannot be read (${reason}); its rules do not count`,
        );
      }
      return [];
    }
  }
}

function rulesIn(lines: readonly string[], source: string): readonly SiteRule[] {
  return lines.flatMap((line) => {
    const rule = readSiteRule(line);
    return rule === undefined ? [] : [{ rule, source }];
  });
}

/** Whole, as the model reads it. */
export function blockedMessage({ host, rule, source }: BlockedSite): string {
  return `Blocked by website policy: '${host}' matched rule '${rule}' from ${source}`;
}
