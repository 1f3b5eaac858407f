/** Under which names the tools of servers are offered. */
import { createHash } from 'node:crypto';

/** What every provider takes. */
const maxNameChars = 64;
const hashChars = 8;

/**
 * `mcp__<server>__<tool>`, every other character than letters, digits and `_` as `_`; a longer name than 64 characters is
 * cut and ends in a hash of the whole, so that it stays the same in every run.
 */
export function offeredName(server: string, tool: string): string {
  const name = `mcp__${plain(server)}__${plain(tool)}`;
  if (name.length <= maxNameChars) return name;
  const hash = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, hashChars);
  return `${name.slice(0, maxNameChars - hashChars - 1)}_${hash}`;
}

/** As releases before 0.19 wrote it: in saved lists and in histories. */
export function oldName(server: string, tool: string): string {
  return `mcp_${plain(server)}_${plain(tool)}`;
}

export function toolsetOf(server: string): string {
  return `mcp-${server}`;
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_');
}
