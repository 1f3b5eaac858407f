/** What was allowed for good, in words with its exact scope, and how an entry is taken back. */
import type { Change } from '../../config/edit.ts';
import { UserError } from '../../lib/errors.ts';
import { type AllowEntry, storableEntry } from '../../safety/allow-entry.ts';
import { escapeForDisplay } from '../../safety/display.ts';

export interface Allowed {
  /** `approvals.allow` */
  readonly commands: readonly AllowEntry[];
  /** `command_allowlist` */
  readonly kinds: readonly string[];
}

/** One line an entry, narrow ones first; the order is that of the numbers. */
export function permissionWords({ commands, kinds }: Allowed): string[] {
  return [...commands.map(commandWords), ...kinds.map((kind) => `every command of the kind ${quoted(kind)}`)];
}

/** `how` says how an entry is taken back here. */
export function permissionLines(allowed: Allowed, how: string): string[] {
  const words = permissionWords(allowed);
  if (words.length === 0) return ['Nothing is allowed for good: every dangerous command is asked about.'];
  return [
    'Allowed without a question, in every conversation of this profile:',
    ...words.map((line, at) => `  ${at + 1}  ${line}`),
    how,
  ];
}

export interface Revocation {
  readonly revoked: readonly string[];
  readonly changes: readonly Change[];
}

/** `which` is a number of the list, the entry itself, or `all`. Throws `UserError` for anything else. */
export function revoke(allowed: Allowed, which: string): Revocation {
  const entries = [
    ...allowed.commands.map((entry) => ({ name: nameOf(entry), entry })),
    ...allowed.kinds.map((kind) => ({ name: kind, kind })),
  ];
  const numbered = /^\d+$/.test(which) ? entries[Number(which) - 1] : undefined;
  const one = numbered ?? entries.find(({ name }) => name.toLowerCase() === which.toLowerCase());
  const revoked = which === 'all' ? entries : one === undefined ? [] : [one];
  if (revoked.length === 0) {
    throw new UserError(`'${which}' is not in the list of what is allowed.`, {
      hint: entries.length === 0 ? 'The list is empty.' : `Use a number from 1 to ${entries.length}, or all.`,
      exitCode: 2,
    });
  }
  const commands = allowed.commands.filter((entry) => !revoked.some((gone) => 'entry' in gone && gone.entry === entry));
  const kinds = allowed.kinds.filter((kind) => !revoked.some((gone) => 'kind' in gone && gone.kind === kind));
  return {
    revoked: revoked.map(({ name }) => name),
    changes: [
      ...(commands.length === allowed.commands.length
        ? []
        : [{ path: ['approvals', 'allow'], value: commands.map(storableEntry) }]),
      ...(kinds.length === allowed.kinds.length ? [] : [{ path: ['command_allowlist'], value: kinds }]),
    ],
  };
}

function commandWords(entry: AllowEntry): string {
  if (typeof entry === 'string') return `${quoted(entry)} in every folder`;
  const { folder, files = {} } = entry;
  const there = Object.keys(files).filter((path) => files[path] !== 'none');
  const until = there.length === 0 ? '' : `, until ${shown(there.join(', '))} changes`;
  if ('command' in entry)
    return `this very command${folder === undefined ? '' : ` in ${shown(folder)}`}${until}: ${quoted(entry.command)}`;
  return `${quoted(entry.pattern)} in ${folder === undefined ? 'every folder' : `${shown(folder)} and below`}${until}`;
}

function nameOf(entry: AllowEntry): string {
  if (typeof entry === 'string') return entry;
  return 'command' in entry ? entry.command : entry.pattern;
}

function quoted(text: string): string {
  return `“${shown(text)}”`;
}

function shown(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}
