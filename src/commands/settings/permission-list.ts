/** What was allowed for good (`command_allowlist`), in words, and how an entry is taken back. */
import type { Change } from '../../config/edit.ts';
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';

/** `how` says how an entry is taken back here. */
export function permissionLines(allowed: readonly string[], how: string): string[] {
  if (allowed.length === 0) return ['Nothing is allowed for good: every dangerous command is asked about.'];
  return [
    'Allowed without a question, in every conversation of this profile:',
    ...allowed.map(
      (entry, at) => `  ${at + 1}  every command of the kind “${escapeForDisplay(entry, { singleLine: true })}”`,
    ),
    how,
  ];
}

export interface Revocation {
  readonly revoked: readonly string[];
  readonly change: Change;
}

/** `which` is a number of the list, the entry itself, or `all`. Throws `UserError` for anything else. */
export function revoke(allowed: readonly string[], which: string): Revocation {
  const numbered = /^\d+$/.test(which) ? allowed[Number(which) - 1] : undefined;
  const entry = numbered ?? allowed.find((candidate) => candidate.toLowerCase() === which.toLowerCase());
  const revoked = which === 'all' ? allowed : entry === undefined ? [] : [entry];
  if (revoked.length === 0) {
    throw new UserError(`'${which}' is not in the list of what is allowed.`, {
      hint: allowed.length === 0 ? 'The list is empty.' : `Use a number from 1 to ${allowed.length}, or all.`,
      exitCode: 2,
    });
  }
  const kept = allowed.filter((candidate) => !revoked.includes(candidate));
  return { revoked, change: { path: ['command_allowlist'], value: kept } };
}
