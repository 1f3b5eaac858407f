/** The way of a skill from a source into a home: quarantine, guard, decision, place, lock entry, audit line. */
import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../lib/errors.ts';
import { readStrictly } from '../skills/frontmatter.ts';
import { decideInstall, type GuardReport, scanSkill } from '../safety/skill-guard/guard.ts';
import { readSummary } from '../skills/skill-header.ts';
import { findSkills, supportDirectories } from '../skills/scan-skills.ts';
import { readSkillFiles } from '../skills/skill-files.ts';
import { isInside } from '../skills/skill-paths.ts';
import { contentHash, fileHashes, readTree } from './content-hash.ts';
import { type LockEntry, noteAudit, readLock, withHubLock, writeLock } from './hub-files.ts';
import { checkMembers } from './members.ts';
import { quarantine, quarantinePath, sweep } from './quarantine.ts';
import type { FetchedSkill } from './source.ts';

export interface InstallWish {
  readonly category?: string | undefined;
  /** Instead of the skill's own name. */
  readonly name?: string | undefined;
  /** Takes a skill about which the guard has doubts, and replaces one that the hub installed. Never a dangerous one. */
  readonly force?: boolean | undefined;
}

export interface InstallQuestion {
  readonly name: string;
  readonly skill: FetchedSkill;
  readonly report: GuardReport;
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
  readonly confirm: (question: InstallQuestion) => Promise<boolean>;
  /** Asks for a name when the source has none; undefined when nobody can be asked. */
  readonly askName?: () => Promise<string | undefined>;
}

/**
 * Installs a fetched skill; nothing of it is run. Throws `UserError` when the guard, the person or the home says no; the
 * home is then as it was.
 */
export async function installSkill(
  fetched: FetchedSkill,
  wish: InstallWish,
  { homePath, now, confirm, askName }: Install,
): Promise<Installed> {
  checkMembers(fetched.files);
  const name = await chooseName(fetched, wish, askName);
  const category = checkCategory(wish.category ?? '');
  await checkDocument(fetched);
  const folder = quarantine(homePath, name, fetched.files);
  try {
    const report = scanSkill(readSkillFiles(folder));
    const decision = decideInstall(fetched.trust, report.verdict, wish.force === true);
    if (decision !== 'allow') {
      note(homePath, 'BLOCKED', name, fetched, report, wish.force === true ? 'force' : '');
      throw blocked(name, report);
    }
    if (!(await confirm({ name, skill: fetched, report }))) {
      note(homePath, 'DECLINED', name, fetched, report);
      throw new UserError(`'${name}' was not installed.`);
    }
    return await withHubLock(homePath, () => place(homePath, name, category, fetched, report, folder, wish, now));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const skillName = /^[a-z0-9][a-z0-9._-]{0,63}$/;

async function chooseName(fetched: FetchedSkill, wish: InstallWish, ask: Install['askName']): Promise<string> {
  const own = fetched.name
    ?.trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  const name = wish.name ?? (own !== undefined && skillName.test(own) ? own : await ask?.());
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

function checkCategory(category: string): string {
  const parts = category.split('/');
  const fits = parts.length <= 4 && parts.every((part) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(part));
  if (category === '' || (fits && !parts.some((part) => supportDirectories.includes(part)))) return category;
  throw new UserError(`'${category.slice(0, 80)}' cannot be a category.`, {
    hint: "Use folder names of letters, digits, '.', '_' and '-', joined by '/'.",
    exitCode: 2,
  });
}

async function checkDocument({ files }: FetchedSkill): Promise<void> {
  const text = files.get('SKILL.md')?.toString('utf8') ?? '';
  const read = await readStrictly(text);
  const problem = !('body' in read)
    ? read.problem
    : readSummary(read.header, read.body).description === ''
      ? 'It has no description.'
      : undefined;
  if (problem !== undefined)
    throw new UserError(`The skill was not taken: ${problem}`, { hint: 'Nothing was written.' });
}

function blocked(name: string, report: GuardReport): UserError {
  const worst = report.findings.slice(0, 8).map(describeFinding);
  const more = report.findings.length > 8 ? [`  and ${report.findings.length - 8} more`] : [];
  const dangerous = report.verdict === 'dangerous';
  return new UserError(
    [`'${name}' was not installed: the guard calls it ${report.verdict}.`, ...worst, ...more].join('\n'),
    {
      hint: dangerous
        ? 'A dangerous skill is not installed, with --force neither.'
        : 'Read it first (hermes skills inspect), then add --force if you trust it.',
    },
  );
}

/** One line for people. */
export function describeFinding({ severity, file, line, description, match }: GuardReport['findings'][number]): string {
  return `  ${severity}  ${file}${line === 0 ? '' : `:${line}`}  ${description}: ${match}`;
}

function place(
  homePath: string,
  name: string,
  category: string,
  fetched: FetchedSkill,
  report: GuardReport,
  folder: string,
  wish: InstallWish,
  now: () => Date,
): Installed {
  sweep(homePath);
  const root = join(homePath, 'skills');
  const installed = readLock(homePath);
  const before = installed.get(name);
  const installPath =
    before === undefined || wish.category !== undefined ? joinPath(category, name) : before.install_path;
  const target = join(root, ...installPath.split('/'));
  if (before !== undefined && wish.force !== true && existsSync(join(root, before.install_path))) {
    throw new UserError(`'${name}' is installed already, from ${before.identifier}.`, {
      hint: `Renew it with: hermes skills update ${name}. Replace it with --force.`,
    });
  }
  const own = findSkills([root]).skills.find(
    ({ path }) => basename(dirname(path)) === name && dirname(path) !== target,
  );
  const movesFrom = before === undefined ? undefined : join(root, before.install_path);
  const standsThere = lstatSync(target, { throwIfNoEntry: false }) !== undefined && movesFrom !== target;
  if (standsThere || (own !== undefined && dirname(own.path) !== movesFrom)) {
    throw new UserError(
      `There is a skill '${name}' that the hub did not install: ${standsThere ? target : dirname(own?.path ?? '')}`,
      {
        hint: 'It is not touched. Install under another name with --name.',
      },
    );
  }
  mkdirSync(dirname(target), { recursive: true });
  if (!isInside(realpathSync(root), realpathSync(dirname(target)))) {
    throw new UserError(`A link on the way to ${target} leads out of the skills folder.`);
  }
  const time = now().toISOString();
  const entry: LockEntry = {
    source: fetched.source,
    identifier: fetched.identifier,
    trust_level: fetched.trust,
    scan_verdict: report.verdict,
    content_hash: contentHash(fetched.files),
    install_path: installPath,
    files: [...fetched.files.keys()].sort(),
    metadata: { ...fetched.metadata, ...fileHashes(fetched.files) },
    installed_at: before?.installed_at || time,
    updated_at: time,
  };
  // Noted first: a skill that is on disk without a note would pass for the user's own.
  const aside = quarantinePath(homePath, name);
  const pending = { installing: true, aside: basename(aside), ...(before === undefined ? {} : { before }) };
  installed.set(name, { ...entry, metadata: { ...entry.metadata, ...pending } });
  writeLock(homePath, installed);
  swap(folder, target, movesFrom, aside);
  installed.set(name, entry);
  writeLock(homePath, installed);
  note(homePath, before === undefined ? 'INSTALL' : 'UPDATE', name, fetched, report, entry.content_hash);
  rmSync(join(homePath, '.skills_prompt_snapshot.json'), { force: true });
  return { name, entry, report };
}

/** The old folder goes only when the new one stands; what fails is put back. */
function swap(folder: string, target: string, old: string | undefined, aside: string): void {
  const replaces = old !== undefined && statSync(old, { throwIfNoEntry: false })?.isDirectory() === true;
  if (replaces) renameSync(old, aside);
  try {
    renameSync(folder, target);
  } catch (error) {
    if (replaces) renameSync(aside, old);
    throw error;
  }
  if (replaces) rmSync(aside, { recursive: true, force: true });
}

/** What is on disk of an installed skill. */
export function installedTree(homePath: string, entry: LockEntry): Map<string, Buffer> | undefined {
  const folder = join(homePath, 'skills', entry.install_path);
  if (!isInside(join(homePath, 'skills'), folder) || !existsSync(join(folder, 'SKILL.md'))) return undefined;
  return readTree(folder);
}

function joinPath(category: string, name: string): string {
  return category === '' ? name : `${category}/${name}`;
}

function note(
  homePath: string,
  action: string,
  name: string,
  { source, trust }: FetchedSkill,
  { verdict }: GuardReport,
  extra = '',
): void {
  noteAudit(homePath, action, name, { source, trust_level: trust, scan_verdict: verdict }, extra);
}
