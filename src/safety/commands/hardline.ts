/** What is never run, whoever approves: commands after which there is no machine left to say sorry on. */
import { extractionFolder } from './extraction.ts';
import { forkBombText } from './fork-bomb.ts';
import { findExecutions, findStarts } from './nested.ts';
import { type CommandPaths, isSystemPath, isWholeSystem, resolvePath } from './paths.ts';
import type { ScriptFacts } from './read-script.ts';
import { isRecursive } from './rules/deletion.ts';
import { runsRemoteText } from './rules/code.ts';
import { formatsFilesystem, overwrittenDisk } from './rules/disk.ts';
import { killsEverything, stopsMachine } from './rules/processes.ts';
import { hasLong, operandsOf, type SimpleCommand } from './simple-command.ts';
import { writtenPaths } from './written-paths.ts';

/** The reason why a script is refused outright, if it is. */
export function hardlineReason(facts: ScriptFacts, text: string, paths: CommandPaths): string | undefined {
  if (facts.forkBomb) return 'fork bomb';
  for (const command of facts.commands) {
    const reason = reasonAgainst(command, paths);
    if (reason !== undefined) return reason;
  }
  // What cannot be parsed is judged by its text as well: better one refusal too many.
  return facts.unread.length + facts.unchecked.length === 0 ? undefined : reasonAgainstText(text);
}

function reasonAgainst(command: SimpleCommand, paths: CommandPaths): string | undefined {
  const deleted = deletedTree(command, paths);
  if (deleted !== undefined) return deleted;
  const disk = overwrittenDisk(command);
  if (disk !== undefined) return disk === '/' ? 'format of the root file system' : `overwriting the raw disk ${disk}`;
  if (formatsFilesystem(command)) return 'format of a file system';
  if (killsEverything(command)) return 'killing every process';
  if (stopsMachine(command)) return 'shutting down or restarting the machine';
  if (writtenPaths(command).some((path) => path === '/proc/sysrq-trigger')) return 'direct kernel command';
  if (unpacksIntoSystem(command, paths)) return 'unpacking an archive into a system folder';
  const atRoot = command.cwd === '/' || command.via.includes('chroot');
  return atRoot && runsRemoteText(command) ? 'remote content run by a shell in the root directory' : undefined;
}

/** The system's own folders, each as a whole; on macOS too. */
const systemFolder =
  /^\/(?:home|root|etc|usr|var|bin|sbin|boot|lib|lib32|lib64|opt|srv|dev|sys|proc|run|system|library|users|applications|private|private\/etc|private\/var)$/i;

function deletedTree(command: SimpleCommand, paths: CommandPaths): string | undefined {
  if (command.name === 'rm') {
    if (hasLong(command, 'no-preserve-root')) return 'recursive delete of the root directory';
    if (!isRecursive(command)) return undefined;
    return firstReason(operandsOf(command).map((field) => treeReason(field.text, command, paths)));
  }
  if (command.name !== 'find' || !deletesAllFound(command)) return undefined;
  return firstReason(findStarts(command).map((start) => treeReason(start, command, paths)));
}

/** Why the recursive delete of this path is never run; a pattern for all that is in a folder stands for the folder. */
function treeReason(text: string, { cwd }: SimpleCommand, { userHome }: CommandPaths): string | undefined {
  const path = resolvePath(text, cwd) ?? text;
  if (isWholeSystem(path)) return 'recursive delete of the root directory';
  const folder = path.replace(/\/[.?]*\*[.*?]*$/, '');
  if (folder === userHome || folder === '~') return 'recursive delete of the home directory';
  return systemFolder.test(folder) ? `recursive delete of the system directory ${folder}` : undefined;
}

function firstReason(reasons: readonly (string | undefined)[]): string | undefined {
  return reasons.find((reason) => reason !== undefined);
}

function unpacksIntoSystem(command: SimpleCommand, paths: CommandPaths): boolean {
  const folder = extractionFolder(command);
  const path = folder === undefined ? undefined : resolvePath(folder, command.cwd);
  if (path === undefined || path === paths.userHome || path === paths.workspace) return false;
  // Programs of one's own have their place there.
  if (path === '/usr/local' || path.startsWith('/usr/local/')) return false;
  return path === '/' || isSystemPath(path, paths);
}

/** A `find` that deletes without choosing by name, age or anything else. */
function deletesAllFound(command: SimpleCommand): boolean {
  const deletes =
    command.args.some((field) => field.text === '-delete') ||
    findExecutions(command).some(([name = '']) => /(?:^|\/)(?:rm|shred|unlink)$/.test(name));
  const chooses = command.args.some((field) =>
    /^-(?:i?name|i?path|i?regex|i?wholename|type|size|user|group|[acm](?:time|min)|newer.*|empty|perm|inum|links|uid|gid|nouser|nogroup|samefile)$/.test(
      field.text,
    ),
  );
  return deletes && !chooses;
}

const hardlineTexts: readonly (readonly [RegExp, string])[] = [
  [
    /\brm\s{1,99}(?:-[\w-]{0,40}\s{1,99}){0,9}-(?:\w{0,20}[rR]\w{0,20}|-recursive)\s{1,99}(?:-[\w-]{0,40}\s{1,99}){0,9}["']?\/{1,9}(?:\.?\*?)?["']?(?:\s|[;&|)]|$)/,
    'recursive delete of the root directory',
  ],
  [
    /\brm\s{1,99}(?:-[\w-]{0,40}\s{1,99}){0,9}-(?:\w{0,20}[rR]\w{0,20}|-recursive)\s{1,99}["']?(?:\/(?:home|root|etc|usr|var|bin|sbin|boot|lib)|~|\$\{?HOME\}?)(?:\/\*?)?["']?(?:\s|[;&|)]|$)/,
    'recursive delete of a system or home directory',
  ],
  [/--no-preserve-root\b/, 'recursive delete of the root directory'],
  [forkBombText, 'fork bomb'],
  [/(?:^|[;&|(\s])mkfs(?:\.\w+)?\s/, 'format of a file system'],
  [/\bdd\s[^;&|\n]{0,200}\bof=\/dev\/(?:[shv]d[a-z]|nvme|mmcblk|disk)/, 'overwriting a raw disk'],
  [/>\s*\/dev\/(?:[shv]d[a-z]|nvme|mmcblk|disk)/, 'overwriting a raw disk'],
  [/\bkill\s+-(?:9|KILL)\s+-1\b/i, 'killing every process'],
];

/** The same for a text that is only looked at, not read. */
export function reasonAgainstText(text: string): string | undefined {
  return hardlineTexts.find(([pattern]) => pattern.test(text))?.[1];
}
