/** `approvals.allow`: commands that the owner lets run without a question. */
import type { AllowEntry } from '../allow-entry.ts';
import { globMatch } from '../glob-match.ts';
import { isPlainlyStarted } from '../programs/starters.ts';
import { changesMeaning, isPlainVariable } from '../programs/variables.ts';
import { coversCall, patternWords } from './owner-pattern.ts';
import { type CommandPaths, resolvePath } from './paths.ts';
import { namesPrivatePlaces } from './private-reads.ts';
import { plainCommandText } from './plain-text.ts';
import { readScript } from './read-script.ts';
import type { SimpleCommand } from './simple-command.ts';
import { isReadText } from './verdict.ts';

/**
 * The entries that together allow the command; `undefined` when a part of it is not covered. Every call in it must be:
 * also those in pipes, substitutions and scripts within. Text that cannot be read, functions, redirections to files and
 * variables that change what programs mean are never covered by patterns.
 */
export function allowedBy(
  command: string,
  entries: readonly AllowEntry[],
  paths: CommandPaths,
): readonly AllowEntry[] | undefined {
  if (entries.length === 0) return undefined;
  const exact = entries.find(
    (entry) => typeof entry !== 'string' && 'command' in entry && isSame(entry, command, paths),
  );
  if (exact !== undefined) return [exact];
  if (plainCommandText(command) !== command) return undefined;
  const { commands, unread, unchecked, hidden, forkBomb } = readScript(command, paths);
  if (forkBomb || unread.length + unchecked.length + hidden.length > 0 || commands.length === 0) return undefined;
  const used = new Set<AllowEntry>();
  for (const call of commands) {
    if (isWithoutEffect(call)) continue;
    const entry = isPlain(call) ? entries.find((candidate) => covers(candidate, call, paths)) : undefined;
    if (entry === undefined) return undefined;
    used.add(entry);
  }
  return [...used];
}

/**
 * `command_allowlist` as older configurations have it: an entry that is the command, or a pattern with `*` that fits it,
 * as long as it is one plain call.
 */
export function isListed(command: string, entries: readonly string[], paths: CommandPaths): boolean {
  const text = command.trim();
  const listed = entries.some(
    (entry) => entry.trim() === text || (entry.includes('*') && globMatch(entry.trim(), text)),
  );
  if (!listed || plainCommandText(command) !== command || /[;&|<>()`$\n]/.test(text)) return false;
  const { commands, unread, unchecked, hidden } = readScript(command, paths);
  return commands.length === 1 && unread.length + unchecked.length + hidden.length === 0;
}

function isSame(
  entry: { command: string; folder?: string | undefined },
  command: string,
  { cwd }: CommandPaths,
): boolean {
  return entry.command === command && (entry.folder === undefined || entry.folder === cwd);
}

function covers(entry: AllowEntry, call: SimpleCommand, paths: CommandPaths): boolean {
  if (typeof entry !== 'string' && 'command' in entry) return false;
  const { pattern, folder } = typeof entry === 'string' ? { pattern: entry } : entry;
  if (folder !== undefined && !isBelow(folder, call.cwd)) return false;
  const words = patternWords(pattern);
  const [program = ''] = words;
  const starters = call.via.filter((name) => name !== program && !passing.has(name));
  if (words.length === 0 || starters.length > 0) return false;
  // A pattern names no input.
  if (namesPrivatePlaces({ ...call, args: [] }, paths)) return false;
  // What starts it may write a file by an option of its own.
  return (call.via.includes(program) || isPlainlyStarted(call)) && coversCall(words, call, paths);
}

function isBelow(folder: string, cwd: string | undefined): boolean {
  const place = resolvePath(folder, undefined);
  return place !== undefined && cwd !== undefined && (cwd === place || cwd.startsWith(`${place}/`));
}

/** They start a program and add nothing to what it does; `find`, shells and `eval` must be covered by themselves. */
const passing = new Set(
  'time command builtin nice ionice timeout gtimeout env stdbuf xargs find eval sh bash dash'.split(' '),
);
const withoutEffect = new Set(': true false test [ cd pwd exit return break continue shift wait'.split(' '));

function isWithoutEffect(call: SimpleCommand): boolean {
  if (!isPlain(call) || call.via.some((name) => !passing.has(name)) || !isPlainlyStarted(call)) return false;
  if (call.name === '') return true;
  if (isReadText(call)) return true;
  // `test -v 'a[$(…)]'` runs what stands in the name.
  return call.path === call.name && withoutEffect.has(call.name) && !call.args.some(({ text }) => /^-[vR]$/.test(text));
}

/** Nothing around the call makes another one of it. */
function isPlain({ name, path, unknownName, redirections, assignments }: SimpleCommand): boolean {
  if (unknownName || redirections.some(({ operator, target }) => opensFile(operator, target))) return false;
  if (path !== '' && path.slice(path.lastIndexOf('/') + 1) !== name) return false;
  const names = assignments.map((text) => text.split('=')[0] ?? '');
  return names.every((variable) => (name === '' ? !changesMeaning(variable) : isPlainVariable(variable)));
}

function opensFile(operator: string, target: string): boolean {
  if (operator === '<') return target.startsWith('/dev/') && !/^\/dev\/(?:null|stdin|fd\/\d+)$/.test(target);
  if (operator === '<&') return !/^(?:\d+|-|\d+-)$/.test(target);
  return !/^(?:\d+|-|\d+-|\/dev\/(?:null|stdout|stderr))$/.test(target);
}
