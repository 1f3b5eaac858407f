/** The way of a skill from a source into a home: quarantine, guard, decision, place, lock entry, audit line. */
import { rmSync } from 'node:fs';
import { UserError } from '../lib/errors.ts';
import { readStrictly } from '../skills/frontmatter.ts';
import { decideInstall, type GuardReport, scanSkill } from '../safety/skill-guard/guard.ts';
import { type DeclaredNeeds, needsOf } from '../skills/declared-needs.ts';
import { readFacts } from '../skills/skill-facts.ts';
import { readSummary } from '../skills/skill-header.ts';
import { supportDirectories } from '../skills/skill-paths.ts';
import { readSkillFiles } from '../skills/skill-files.ts';
import { type LockEntry, noteAudit, withHubLock } from './hub-files.ts';
import { checkMembers } from './members.ts';
import { placeSkill } from './place-skill.ts';
import { quarantine } from './quarantine.ts';
import type { FetchedSkill } from './source.ts';

export interface InstallRequest {
  readonly category?: string | undefined;
  /** Instead of the skill's own name. */
  readonly name?: string | undefined;
  /** Takes a skill about which the guard has doubts, and replaces one that the hub installed. Never a dangerous one. */
  readonly force?: boolean | undefined;
}

export interface InstallReview {
  readonly name: string;
  readonly skill: FetchedSkill;
  readonly report: GuardReport;
  /** What of the owner's it wants; it is never handed anything else. */
  readonly needs: DeclaredNeeds;
}

export interface Installed {
  readonly name: string;
  readonly entry: LockEntry;
  readonly report: GuardReport;
}

export interface Install {
  readonly homePath: string;
  readonly now: () => Date;
  /** Asks the person; called after the guard has allowed it. */
  readonly confirm: (question: InstallReview) => Promise<boolean>;
  /** Asks for a name when the source has none; undefined when nobody can be asked. */
  readonly askName?: () => Promise<string | undefined>;
}

/**
 * Installs a fetched skill; nothing of it is run. Throws `UserError` when the guard, the person or the home says no; the
 * home is then as it was.
 */
export async function installSkill(
  fetched: FetchedSkill,
  request: InstallRequest,
  { homePath, now, confirm, askName }: Install,
): Promise<Installed> {
  checkMembers(fetched.files);
  const name = await chooseName(fetched, request, askName);
  const category = checkCategory(request.category);
  const needs = await checkDocument(fetched);
  const folder = quarantine(homePath, name, fetched.files);
  try {
    const report = scanSkill(readSkillFiles(folder));
    const { source, trust } = fetched;
    const note = (action: string, extra?: string): void =>
      noteAudit(homePath, action, name, { source, trust_level: trust, scan_verdict: report.verdict }, extra);
    const decision = decideInstall(trust, report.verdict, request.force === true);
    if (decision !== 'allow') {
      note('BLOCKED', request.force === true ? 'force' : '');
      throw blocked(name, report);
    }
    if (!(await confirm({ name, skill: fetched, report, needs }))) {
      note('DECLINED');
      throw new UserError(`'${name}' was not installed.`);
    }
    const entry = await withHubLock(homePath, () =>
      placeSkill({ homePath, name, category, fetched, needs, verdict: report.verdict, folder, request, now }),
    );
    return { name, entry, report };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const skillName = /^[a-z0-9][a-z0-9._-]{0,63}$/;

async function chooseName(fetched: FetchedSkill, request: InstallRequest, ask: Install['askName']): Promise<string> {
  const own = fetched.name
    ?.trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  const name = request.name ?? (own !== undefined && skillName.test(own) ? own : await ask?.());
  if (name === undefined || name === '') {
    throw new UserError('The skill has no usable name.', { hint: 'Give one with --name <name>.', exitCode: 2 });
  }
  if (!skillName.test(name) || supportDirectories.includes(name)) {
    throw new UserError(`'${name.slice(0, 80)}' cannot be the name of a skill.`, {
      hint: "Use lower-case letters, digits, '.', '_' and '-', starting with a letter or digit, at most 64.",
      exitCode: 2,
    });
  }
  return name;
}

function checkCategory(category: string | undefined): string | undefined {
  if (category === undefined || category === '') return category;
  const parts = category.split('/');
  const fits = parts.length <= 4 && parts.every((part) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(part));
  if (fits && !parts.some((part) => supportDirectories.includes(part))) return category;
  throw new UserError(`'${category.slice(0, 80)}' cannot be a category.`, {
    hint: "Use folder names of letters, digits, '.', '_' and '-', joined by '/'.",
    exitCode: 2,
  });
}

async function checkDocument({ files }: FetchedSkill): Promise<DeclaredNeeds> {
  const text = files.get('SKILL.md')?.toString('utf8') ?? '';
  const read = await readStrictly(text);
  const isDescribed = 'body' in read && readSummary(read.header, read.body).description !== '';
  if (isDescribed) return needsOf(readFacts(read.header));
  const problem = 'body' in read ? 'It has no description.' : read.problem;
  throw new UserError(`The skill was not installed: ${problem}`, { hint: 'Nothing was written.' });
}

function blocked(name: string, report: GuardReport): UserError {
  const worst = report.findings.slice(0, 8).map(describeFinding);
  const more = report.findings.length > 8 ? [`  and ${report.findings.length - 8} more`] : [];
  const dangerous = report.verdict === 'dangerous';
  return new UserError(
    [`'${name}' was not installed: the security scan calls it ${report.verdict}.`, ...worst, ...more].join('\n'),
    {
      hint: dangerous
        ? 'A dangerous skill is not installed, not even with --force.'
        : 'Read it first (hermes skills inspect), then add --force if you trust it.',
    },
  );
}

/** What the guard says of a skill that is still in memory. */
export function scanFetched({ files }: FetchedSkill): GuardReport {
  return scanSkill(
    [...files].map(([path, body]) => {
      const text = body.toString('utf8');
      return { path, size: body.length, executable: false, ...(text.includes('\0') ? {} : { text }) };
    }),
  );
}

/** One line for people. */
export function describeFinding({ severity, file, line, description, match }: GuardReport['findings'][number]): string {
  return `  ${severity}  ${file}${line === 0 ? '' : `:${line}`}  ${description}: ${match}`;
}
