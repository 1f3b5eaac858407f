/** Sites that the owner does not want read: rules as they are written, and what they hold for. */

export interface SiteRule {
  /** As it is shown: without scheme, path and `www.`. */
  readonly rule: string;
  /** Where it stands: `config`, or a file. */
  readonly source: string;
}

/** What a rule forbids, and which it is. */
export interface BlockedSite extends SiteRule {
  readonly host: string;
}

/** A rule without what does not matter in it; undefined for an empty line and a comment. */
export function readSiteRule(written: string): string | undefined {
  const text = written.trim().toLowerCase();
  if (text === '' || text.startsWith('#')) return undefined;
  const host = text
    .replace(/^[a-z][a-z\d+.-]*:\/\//, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '')
    .replace(/\.+$/, '')
    .replace(/^www\./, '');
  return host === '' ? undefined : host;
}

/** `example.com` stands for itself and all below it; `*.example.com` for what is below it alone. */
export function blockedSite(hostname: string, rules: readonly SiteRule[]): BlockedSite | undefined {
  const host = hostname.toLowerCase().replace(/\.+$/, '');
  const plain = host.replace(/^www\./, '');
  const found = rules.find(({ rule }) =>
    rule.startsWith('*.') ? host.endsWith(rule.slice(1)) : plain === rule || host.endsWith(`.${rule}`),
  );
  return found === undefined ? undefined : { host, ...found };
}
