/** Judges a shell command by what it would run: refuse outright, show to a person, or nothing against it. */
import { containable, type Finding, unclear } from '../finding.ts';
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
import { type Verdict, verdictOf } from './verdict.ts';

export interface CommandJudgement extends Verdict {
  /** Never run, whoever approves. */
  readonly hardline?: { readonly reason: string };
  /** One entry a key, in the order in which the command raises them. */
  readonly findings: readonly Finding[];
}

const rules: readonly Rule[] = [deletion, permissions, disk, sql, protectedFiles, processes, code, ownCommandLine];

/** Longer commands are not read, and not run. */
const maxCommandChars = 100_000;

/**
 * Never throws. The text is judged as it is and, where that differs, without disguise (ANSI sequences, invisible
 * characters, full-width letters). Does not see what a script on disk, a renamed program or a decoded text would do:
 * such a command is unknown.
 */
export function judgeCommand(command: string, paths: CommandPaths): CommandJudgement {
  if (command.length > maxCommandChars) {
    return refused(reasonAgainstText(plainCommandText(command)) ?? 'the command is too long to be checked');
  }
  const plain = plainCommandText(command);
  const texts = plain === command ? [command] : [plain, command];
  const found: Finding[] = [];
  const verdicts: Verdict[] = [];
  if (hasDeceptiveCharacters(command)) found.push(unclear('command contains characters that hide what it does'));
  for (const text of texts) {
    const facts = readScript(text, paths);
    // What nobody can check is not run: not even the list of what is never run could be held against it.
    const reason = hardlineReason(facts, text, paths) ?? facts.unchecked[0];
    if (reason !== undefined) return refused(reason);
    const verdict = verdictOf(facts, paths);
    verdicts.push(verdict);
    found.push(
      ...facts.unread.map((why) => containable(unclear(why))),
      ...facts.commands.flatMap((simple) => rules.flatMap((rule) => rule(simple, paths))),
      ...verdict.findings,
    );
  }
  const findings = oneEach(found);
  const [verdict, written] = verdicts;
  // What looks like one thing and runs as another is not known.
  if (verdict === undefined || written !== undefined) {
    return { ...nothingKnown, unknown: ['a command in disguise'], findings };
  }
  const harmless = verdict.verdict === 'harmless' && findings.length === 0;
  return { ...verdict, verdict: harmless ? 'harmless' : 'unknown', findings };
}

const nothingKnown: Omit<Verdict, 'unknown'> = {
  verdict: 'unknown',
  place: 'sandbox',
  writes: [],
  contacts: [],
  findings: [],
};

function refused(reason: string): CommandJudgement {
  return { ...nothingKnown, unknown: [], hardline: { reason } };
}

/** A finding that no sandbox contains stands over the same one elsewhere in the command. */
function oneEach(found: readonly Finding[]): Finding[] {
  const byKey = new Map<string, Finding>();
  for (const entry of found) {
    const earlier = byKey.get(entry.key);
    if (earlier === undefined || earlier.containable === true) byKey.set(entry.key, entry);
  }
  return [...byKey.values()];
}
