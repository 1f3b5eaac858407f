/** `skill_manage`: makes planned changes to skills, one process at a time, each whole or not at all. */
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { withFileLock } from '../../lib/file-lock.ts';
import { type GuardedFile, type GuardReport, decideInstall, scanSkill } from '../../safety/skill-guard/guard.ts';
import type { SkillPlaces } from '../load-skill.ts';
import type { PendingChanges } from './pending-writes.ts';
import { type ManageRequest, planChange, type Planned, type SkillChange } from './skill-change.ts';
import { readSkillFiles } from '../skill-files.ts';
import { realPathInside } from '../skill-paths.ts';
import type { SkillAnswer } from '../skill-view.ts';
import type { SkillUsage } from '../usage.ts';

/** Asks a person about a change that the guard finds dangerous; anything but true leaves the disk as it is. */
export type ApproveFindings = (change: SkillChange, report: GuardReport) => Promise<boolean>;

export interface ChangeApprovals {
  readonly findings: ApproveFindings;
  /** Asks a person about every change, shown as a diff; absent where changes are free. */
  readonly change?: (diff: string) => Promise<boolean>;
}

export interface SkillProposal {
  /** Unified. */
  readonly diff: string;
  /** What the guard finds dangerous in the skill as it would be; empty where the guard is off. */
  readonly findings: GuardReport['findings'];
}

export interface ManageContext {
  readonly homePath: string;
  readonly guard: boolean;
  readonly origin: 'foreground' | 'background_review';
  readonly usage: SkillUsage;
  readonly pending: PendingChanges;
  /** What is on disk now, read anew after every change. */
  readonly places: () => Promise<SkillPlaces>;
  /** Called after every change. */
  readonly changed: () => void;
}

/** Stages a valid call for a person to look at; an invalid one is answered at once. */
export async function stageChange(request: ManageRequest, context: ManageContext): Promise<SkillAnswer> {
  const planned = await plan(request, context);
  if ('refusal' in planned) return planned.refusal;
  const { id, summary } = context.pending.add(request, context.origin);
  return {
    success: true,
    staged: true,
    pending_id: id,
    message: `Nothing was written yet: '${summary}' waits for the user's approval (/skills approve ${id}).`,
  };
}

/**
 * Makes the change. It is planned again under the lock, so that a change by another process in between is neither lost
 * nor written over; a guard that asks is asked outside of it.
 */
export async function makeChange(
  request: ManageRequest,
  context: ManageContext,
  approvals: ChangeApprovals,
  signal: AbortSignal,
): Promise<SkillAnswer> {
  const mustMatch = context.guard || approvals.change !== undefined;
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const planned = await plan(request, context);
    if ('refusal' in planned) return planned.refusal;
    const refusal = context.guard ? await guardChange(planned, approvals.findings) : undefined;
    if (refusal !== undefined) return refusal;
    if (approvals.change !== undefined && !(await approvals.change(await diffOf(planned)))) {
      return { success: false, error: 'The user did not allow this change. Nothing was written.' };
    }
    signal.throwIfAborted();
    const answer = await withFileLock(
      join(context.homePath, 'skills', '.manage.lock'),
      async () => {
        const now = await plan(request, context);
        if ('refusal' in now) return now.refusal;
        // What was looked at must be what is written.
        if (mustMatch && !sameFile(now, planned)) return undefined;
        applyChange(now);
        context.changed();
        return describeChange(now);
      },
      { signal },
    );
    if (answer === undefined) continue;
    if (answer.success) await countChange(planned, context);
    return answer;
  }
  return { success: false, error: `Skill '${request.name}' keeps changing. Look at it again and retry.` };
}

/** What a change would do, and what the guard finds dangerous in it. */
export async function proposeChange(
  request: ManageRequest,
  context: ManageContext,
): Promise<SkillProposal | { readonly problem: SkillAnswer }> {
  const planned = await plan(request, context);
  if ('refusal' in planned) return { problem: planned.refusal };
  const report = context.guard ? reportOn(planned) : undefined;
  return { diff: await diffOf(planned), findings: report?.findings ?? [] };
}

/** The change as a unified diff, or why it cannot be made any more. */
export async function diffChange(request: ManageRequest, context: ManageContext): Promise<string> {
  const planned = await plan(request, context);
  if ('refusal' in planned) return `This change does not fit any more: ${JSON.stringify(planned.refusal['error'])}`;
  return await diffOf(planned);
}

async function diffOf({ file, directory }: SkillChange): Promise<string> {
  if (file === undefined) return `The whole skill is removed: ${directory}`;
  const { createTwoFilesPatch } = await import('diff');
  const shown = relative(dirname(directory), file.path).split(sep).join('/');
  return createTwoFilesPatch(
    file.before === undefined ? '/dev/null' : shown,
    file.after === undefined ? '/dev/null' : shown,
    file.before ?? '',
    file.after ?? '',
  );
}

const mostAttempts = 3;

async function plan(request: ManageRequest, { places, usage }: ManageContext): Promise<Planned> {
  return await planChange(request, await places(), (name) => usage.isPinned(name));
}

async function guardChange(change: SkillChange, approve: ApproveFindings): Promise<SkillAnswer | undefined> {
  const report = reportOn(change);
  if (report === undefined || (await approve(change, report))) return undefined;
  return {
    success: false,
    error: 'The security scan found something dangerous and the change was not approved. Nothing was written.',
    findings: report.findings.slice(0, 20).map(({ file: where, line, description, match }) => {
      return `${where}:${line} ${description}: ${match}`;
    }),
  };
}

/** Undefined when there is nothing dangerous in the skill as it would be. */
function reportOn(change: SkillChange): GuardReport | undefined {
  const { file } = change;
  if (file?.after === undefined) return undefined;
  const report = scanSkill(filesAfter(change, file.path, file.after));
  return decideInstall('agent-created', report.verdict) === 'allow' ? undefined : report;
}

/** The skill's folder as it would be. */
function filesAfter({ directory }: SkillChange, path: string, after: string): GuardedFile[] {
  const name = relative(directory, path).split(sep).join('/');
  const others = existsSync(directory) ? readSkillFiles(directory).filter((entry) => entry.path !== name) : [];
  return [...others, { path: name, size: Buffer.byteLength(after), executable: false, text: after }];
}

function sameFile(a: SkillChange, b: SkillChange): boolean {
  return (
    a.directory === b.directory &&
    a.file?.path === b.file?.path &&
    a.file?.before === b.file?.before &&
    a.file?.after === b.file?.after
  );
}

function applyChange({ directory, root, file }: SkillChange): void {
  if (file === undefined) {
    removeSkill(directory, root);
    return;
  }
  if (file.after === undefined) {
    rmSync(file.path);
    removeEmptyFolders(dirname(file.path), directory);
    return;
  }
  mkdirSync(dirname(file.path), { recursive: true });
  // The folders exist only now; a link among them must not have taken the file elsewhere.
  if (realPathInside(directory, dirname(file.path)) === undefined)
    throw new Error(`${file.path} leads out of the skill`);
  const mode = statSync(file.path, { throwIfNoEntry: false })?.mode;
  writeFileAtomic(file.path, file.after);
  // A script stays executable.
  if (mode !== undefined && (mode & 0o111) !== 0) chmodSync(file.path, mode & 0o777);
}

/** Out of sight first, in one step; then piece by piece. */
function removeSkill(directory: string, root: string): void {
  const gone = join(dirname(directory), `.removed-${process.pid}-${Date.now()}`);
  renameSync(directory, gone);
  rmSync(gone, { recursive: true, force: true });
  if (dirname(directory) !== root) removeEmptyFolders(dirname(directory), root);
}

/** Removes `folder` and its parents below `end` for as long as they are empty. */
function removeEmptyFolders(folder: string, end: string): void {
  for (let path = folder; path !== end && path.startsWith(end + sep); path = dirname(path)) {
    try {
      if (readdirSync(path).length > 0) return;
      rmdirSync(path);
    } catch {
      // An empty folder that stays does no harm.
      return;
    }
  }
}

async function countChange({ request, directoryName }: SkillChange, { usage, origin }: ManageContext): Promise<void> {
  if (request.action === 'create') await usage.created(directoryName, origin === 'background_review');
  else if (request.action === 'delete') await usage.removed(directoryName);
  else await usage.count(directoryName, 'patch');
}

function describeChange({ request, directory, root, file, replacements }: SkillChange): SkillAnswer {
  const { action, name, category } = request;
  const path = relative(root, directory).split(sep).join('/');
  switch (action) {
    case 'create':
      return {
        success: true,
        message: `Skill '${name}' created.`,
        path,
        skill_md: file?.path,
        ...(category === undefined || category === '' ? {} : { category }),
        hint: `Add files with skill_manage(action='write_file', name='${name}', file_path='references/…', file_content='…').`,
      };
    case 'edit':
      return { success: true, message: `Skill '${name}' updated.`, path };
    case 'patch':
      return {
        success: true,
        message: `Patched ${request.file_path ?? 'SKILL.md'} of skill '${name}' (${replacements ?? 1} replacement${replacements === 1 ? '' : 's'}).`,
      };
    case 'delete':
      return { success: true, message: `Skill '${name}' deleted.` };
    case 'write_file':
      return { success: true, message: `File '${request.file_path}' written to skill '${name}'.`, path: file?.path };
    case 'remove_file':
      return { success: true, message: `File '${request.file_path}' removed from skill '${name}'.` };
  }
}
