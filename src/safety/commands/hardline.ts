/** What is never run, whoever approves: commands after which there is no machine left to say sorry on. */
import { forkBombText } from './fork-bomb.ts';
import { findExecutions, findStarts } from './nested.ts';
import { isWholeSystem, resolvePath } from './paths.ts';
import type { ScriptFacts } from './read-script.ts';
import { isRecursive } from './rules/deletion.ts';
import { runsRemoteText } from './rules/code.ts';
import { overwrittenDisk } from './rules/disk.ts';
import { killsEverything, stopsMachine } from './rules/processes.ts';
import { hasLong, operandsOf, type SimpleCommand } from './simple-command.ts';
import { writtenPaths } from './written-paths.ts';

/** The reason why a script is refused outright, if it is. */
export function hardlineReason(facts: ScriptFacts, text: string): string | undefined {
  if (facts.forkBomb) return 'fork bomb';
  for (const command of facts.commands) {
    const reason = reasonAgainst(command);
    if (reason !== undefined) return reason;
  }
  // What cannot be parsed is judged by its text as well: better one refusal too many.
  return facts.unread.length + facts.unchecked.length === 0 ? undefined : reasonAgainstText(text);
}

function reasonAgainst(command: SimpleCommand): string | undefined {
  if (deletesRoot(command)) return 'recursive delete of the root directory';
  const disk = overwrittenDisk(command);
  if (disk !== undefined) return disk === '/' ? 'format of the root file system' : `overwriting the raw disk ${disk}`;
  if (killsEverything(command)) return 'killing every process';
  if (stopsMachine(command)) return 'shutting down or restarting the machine';
  if (writtenPaths(command).some((path) => path === '/proc/sysrq-trigger')) return 'direct kernel command';
  const atRoot = command.cwd === '/' || command.via.includes('chroot');
  return atRoot && runsRemoteText(command) ? 'remote content run by a shell in the root directory' : undefined;
}

function deletesRoot(command: SimpleCommand): boolean {
  const isRoot = (path: string): boolean => isWholeSystem(resolvePath(path, command.cwd) ?? path);
  if (command.name === 'rm') {
    if (hasLong(command, 'no-preserve-root')) return true;
    return isRecursive(command) && operandsOf(command).some((field) => isRoot(field.text));
  }
  return command.name === 'find' && findStarts(command).some(isRoot) && deletesAllFound(command);
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
  [/--no-preserve-root\b/, 'recursive delete of the root directory'],
  [forkBombText, 'fork bomb'],
  [/\bmkfs(?:\.\w+)?\s[^;&|\n]{0,200}\/dev\/(?:[shv]d[a-z]|nvme|mmcblk|disk)/, 'format of a disk'],
  [/\bdd\s[^;&|\n]{0,200}\bof=\/dev\/(?:[shv]d[a-z]|nvme|mmcblk|disk)/, 'overwriting a raw disk'],
  [/>\s*\/dev\/(?:[shv]d[a-z]|nvme|mmcblk|disk)/, 'overwriting a raw disk'],
  [/\bkill\s+-(?:9|KILL)\s+-1\b/i, 'killing every process'],
];

/** The same for a text that is only looked at, not read. */
export function reasonAgainstText(text: string): string | undefined {
  return hardlineTexts.find(([pattern]) => pattern.test(text))?.[1];
}
