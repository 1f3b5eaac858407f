/** Whether a finding was approved under its own name or under the one an older configuration has for it. */
import type { Finding } from '../finding.ts';

/** `entries` is `command_allowlist`: descriptions, or patterns of which the first word counts. */
export function isAllowlisted(finding: Finding, entries: Iterable<string>): boolean {
  if (!finding.mayRemember) return false;
  for (const entry of entries) {
    if (entry === finding.key || finding.aliases.includes(entry)) return true;
    const word = firstWordOfPattern(entry);
    if (word !== undefined && finding.aliases.includes(word)) return true;
  }
  return false;
}

/** The first word of a regular expression, as in `rm\s+-[^\s]*r`; a plain description has none. */
function firstWordOfPattern(entry: string): string | undefined {
  if (!entry.includes('\\')) return undefined;
  return /^(?:\\b|[\^(?:])*([A-Za-z_]\w*)/.exec(entry)?.[1];
}
