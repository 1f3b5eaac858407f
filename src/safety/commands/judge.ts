/** Judges a shell command by what it would run: refuse outright, show to a person, or nothing against it. */
import { type CommandJudgement, type Finding, uncheckable, unclear } from '../finding.ts';
import { hardlineReason, reasonAgainstText } from './hardline.ts';
import type { CommandPaths } from './paths.ts';
import { hasDeceptiveCharacters, plainCommandText } from './plain-text.ts';
import { readScript } from './read-script.ts';
import { code } from './rules/code.ts';
import { deletion } from './rules/deletion.ts';
import { disk } from './rules/disk.ts';
import { permissions } from './rules/permissions.ts';
import { ownCommandLine } from './rules/own-command-line.ts';
import { processes } from './rules/processes.ts';
import { protectedFiles } from './rules/protected-files.ts';
import type { Rule } from './rules/rule.ts';
import { sql } from './rules/sql.ts';

const rules: readonly Rule[] = [deletion, permissions, disk, sql, protectedFiles, processes, code, ownCommandLine];

/** Longer commands are not read; a person has to. */
const maxCommandChars = 100_000;

/**
 * Never throws. The text is judged as it is and, where that differs, without disguise (ANSI sequences, invisible
 * characters, full-width letters). Does not see what a script on disk, a renamed program or a decoded text would do.
 */
export function judgeCommand(command: string, paths: CommandPaths): CommandJudgement {
  if (command.length > maxCommandChars) return judgeLongCommand(command);
  const plain = plainCommandText(command);
  const texts = plain === command ? [command] : [plain, command];
  const findings = new Map<string, Finding>();
  if (hasDeceptiveCharacters(command)) {
    const hidden = unclear('command contains characters that hide what it does');
    findings.set(hidden.key, hidden);
  }
  for (const text of texts) {
    const facts = readScript(text, paths);
    const reason = hardlineReason(facts, text);
    if (reason !== undefined) return { hardline: { reason }, findings: [] };
    const found = [
      ...facts.unread.map(unclear),
      ...facts.unchecked.map(uncheckable),
      ...facts.commands.flatMap((simple) => rules.flatMap((rule) => rule(simple, paths))),
    ];
    for (const entry of found) findings.set(entry.key, entry);
  }
  return { findings: [...findings.values()] };
}

function judgeLongCommand(command: string): CommandJudgement {
  const reason = reasonAgainstText(plainCommandText(command));
  if (reason !== undefined) return { hardline: { reason }, findings: [] };
  return { findings: [uncheckable('command is too long to be checked')] };
}
