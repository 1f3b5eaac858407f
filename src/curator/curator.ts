/** The curator: lets unused skills grow stale, moves old ones into the archive, and never deletes any. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import type { JsonObject } from '../lib/json.ts';
import { noLog } from '../lib/log.ts';
import { seedBundledUse } from '../skills/bundled-use.ts';
import { type Backup, listBackups, rollBack, takeBackup } from './backups.ts';
import {
  agingBundled,
  type Candidate,
  candidates,
  type CuratorAges,
  type LocalSkill,
  localSkills,
  planTransitions,
  type Transition,
} from './plan.ts';
import { type CuratorReport, type Merges, writeReport } from './report.ts';
import { changeCuratorState, type CuratorState, readCuratorState } from './state.ts';
import { foreignSkills } from '../skills/provenance.ts';
import { UsageFile } from '../skills/usage.ts';

/** `curator.*` of the configuration. */
export interface CuratorSettings extends CuratorAges {
  readonly enabled: boolean;
  readonly intervalHours: number;
  readonly minIdleHours: number;
  readonly backup: { readonly enabled: boolean; readonly keep: number };
}

export interface CuratorOptions {
  /** The active home, absolute. */
  readonly homePath: string;
  readonly settings: CuratorSettings;
  readonly now: () => Date;
}

/** Looks through the agent's own skills and merges what belongs together. Must not reject. */
export type Consolidate = (skills: readonly Candidate[], signal: AbortSignal) => Promise<Merges>;

export interface RunOptions {
  /** Only says what would be done. */
  readonly dryRun?: boolean;
  /** Over the configured days, for a run that a person asks for. */
  readonly ages?: CuratorAges;
  readonly reason?: string;
  /** Absent: skills only age. */
  readonly consolidate?: Consolidate;
  readonly signal: AbortSignal;
}

export interface Curator {
  /** Runs when it is on, not paused, an interval has passed and nobody has worked for long enough; else undefined. */
  tick(idleSince: Date | undefined, run: RunOptions): Promise<CuratorReport | undefined>;
  run(options: RunOptions): Promise<CuratorReport>;
  state(): CuratorState;
  skills(): { readonly local: readonly LocalSkill[]; readonly candidates: readonly Candidate[] };
  setPaused(paused: boolean): Promise<void>;
  /** Throws `UserError` for a skill that is not there, or belongs to the program or a hub. */
  setPinned(name: string, pinned: boolean): Promise<void>;
  archive(name: string): Promise<void>;
  /** Returns where it lies now, relative to `skills/`. */
  restore(name: string): Promise<string>;
  archived(): string[];
  backup(reason: string): Promise<Backup>;
  backups(): Backup[];
  rollBack(id: string | undefined): ReturnType<typeof rollBack>;
}

const hour = 3_600_000;

/** Touches nothing until it is told to. */
export function createCurator({ homePath, settings, now }: CuratorOptions): Curator {
  const root = join(homePath, 'skills');
  const archiveFolder = join(root, '.archive');
  const usage = new UsageFile(homePath, now, noLog);

  function find(name: string): LocalSkill {
    const skill = localSkills(homePath, usage).find((one) => one.name === name || one.place === name);
    if (skill !== undefined) return skill;
    throw new UserError(`There is no skill '${name}' in ${root}.`, { hint: 'See: hermes curator status' });
  }

  async function underLock<T>(work: () => Promise<T> | T): Promise<T> {
    return await withFileLock(join(root, '.manage.lock'), work);
  }

  async function moveToArchive({ name, directory, place }: Pick<LocalSkill, 'name' | 'directory' | 'place'>) {
    await underLock(() => {
      if (!existsSync(join(directory, 'SKILL.md'))) throw new UserError(`The skill '${name}' is gone.`);
      mkdirSync(archiveFolder, { recursive: true });
      renameSync(directory, freePlace(archiveFolder, name));
      removeEmptied(root, dirname(directory));
    });
    await usage.set(name, { state: 'archived', archived_at: now().toISOString(), archived_from: place });
  }

  async function make({ skill, to }: Transition): Promise<void> {
    if (to === 'archived') await moveToArchive(skill);
    else await usage.set(skill.name, { state: to });
  }

  async function run(options: RunOptions): Promise<CuratorReport> {
    const { dryRun = false, ages = settings, reason = 'curator run', consolidate, signal } = options;
    const startedAt = now();
    const before = candidates(homePath, usage, ages.pruneBuiltins, startedAt);
    const planned = planTransitions(before, ages);
    const own = before.filter(({ origin, name }) => origin === 'agent' && !willGo(planned, name));
    const merging = consolidate !== undefined && own.length > 0 && !dryRun;
    const mutating = !dryRun && (planned.length > 0 || merging);
    const backup =
      mutating && settings.backup.enabled
        ? await takeBackup(homePath, reason, startedAt, settings.backup.keep)
        : undefined;
    const done: Transition[] = [];
    const failed: { name: string; error: string }[] = [];
    if (!dryRun) {
      if (ages.pruneBuiltins) await seedBundledUse(homePath, agingBundled(homePath, usage), startedAt);
      for (const transition of planned) {
        if (signal.aborted) break;
        try {
          await make(transition);
          done.push(transition);
        } catch (error) {
          failed.push({ name: transition.skill.name, error: error instanceof Error ? error.message : 'unknown' });
        }
      }
    }
    const merges = merging && !signal.aborted ? await consolidate(own, signal) : undefined;
    const report: CuratorReport = {
      startedAt,
      seconds: Math.max(0, now().getTime() - startedAt.getTime()) / 1000,
      dryRun,
      checked: before.length,
      transitions: dryRun ? planned : done,
      failed,
      ...(backup === undefined ? {} : { backup: backup.id }),
      ...(merges === undefined ? {} : { merges }),
    };
    if (dryRun) return report;
    const written = { ...report, folder: writeReport(homePath, report) };
    await changeCuratorState(homePath, ({ runCount }) => stateAfter(written, runCount));
    return written;
  }

  return {
    async tick(idleSince, options) {
      const at = now().getTime();
      const { lastRunAt, paused } = readCuratorState(homePath);
      if (!settings.enabled || paused) return undefined;
      // A time in the future comes from a clock that was wrong; it must not switch the curator off.
      if (lastRunAt === undefined || lastRunAt.getTime() > at) {
        await changeCuratorState(homePath, () => ({ last_run_at: now().toISOString() }));
        return undefined;
      }
      const idleFor = idleSince === undefined ? Number.POSITIVE_INFINITY : at - idleSince.getTime();
      if (at - lastRunAt.getTime() < settings.intervalHours * hour) return undefined;
      if (idleFor < settings.minIdleHours * hour) return undefined;
      if (!(await claimRun(lastRunAt))) return undefined;
      return await run(options);
    },
    run,
    state: () => readCuratorState(homePath),
    skills: () => ({
      local: localSkills(homePath, usage),
      candidates: candidates(homePath, usage, settings.pruneBuiltins, now()),
    }),
    setPaused: (paused) => changeCuratorState(homePath, () => ({ paused })),
    async setPinned(name, pinned) {
      const skill = find(name);
      if (skill.origin === 'bundled' || skill.origin === 'hub') throw notOurs(skill, pinned ? 'pinned' : 'unpinned');
      await usage.set(skill.name, { pinned });
    },
    async archive(name) {
      const skill = find(name);
      if (skill.origin === 'bundled' || skill.origin === 'hub') throw notOurs(skill, 'archived');
      if (skill.pinned) {
        throw new UserError(`The skill '${skill.name}' is pinned.`, {
          hint: `Unpin it first: hermes curator unpin ${skill.name}`,
        });
      }
      await moveToArchive(skill);
    },
    async restore(name) {
      const from = join(archiveFolder, basename(name));
      if (name !== basename(name) || name === '' || !existsSync(from)) {
        throw new UserError(`There is no archived skill '${name}'.`, { hint: 'See: hermes curator list-archived' });
      }
      const entry = usage.read()[name] ?? {};
      const place = restorePlace(entry, name);
      const { bundled, hub } = foreignSkills(homePath);
      const taken = localSkills(homePath, usage).find((skill) => skill.name === name);
      if (taken !== undefined && (bundled.has(name) || hub.has(name))) {
        throw new UserError(`'${name}' is now a skill that came with the program or from a hub.`, {
          hint: `Uninstall or rename that one first, or copy what you need from ${from}.`,
        });
      }
      await underLock(() => {
        if (taken !== undefined || existsSync(join(root, place))) {
          throw new UserError(`A skill already stands at ${join(root, taken?.place ?? place)}.`, {
            hint: 'Move it away first.',
          });
        }
        mkdirSync(dirname(join(root, place)), { recursive: true });
        renameSync(from, join(root, place));
      });
      // Used again: else the next run would archive it at once.
      await usage.set(name, { state: 'active', archived_at: null, last_used_at: now().toISOString() });
      if (bundled.has(name)) await usage.count(name, 'use');
      return place;
    },
    archived: () =>
      existsSync(archiveFolder)
        ? readdirSync(archiveFolder)
            .filter((name) => !name.startsWith('.'))
            .sort()
        : [],
    backup: (reason) => takeBackup(homePath, reason, now(), settings.backup.keep),
    backups: () => listBackups(homePath),
    rollBack: (id) => rollBack(homePath, id, now()),
  };

  /** False when another process was faster. */
  async function claimRun(seen: Date): Promise<boolean> {
    let mine = false;
    await changeCuratorState(homePath, ({ lastRunAt }) => {
      mine = lastRunAt?.getTime() === seen.getTime();
      return mine ? { last_run_at: now().toISOString() } : {};
    });
    return mine;
  }
}

function willGo(planned: readonly Transition[], name: string): boolean {
  return planned.some(({ skill, to }) => skill.name === name && to === 'archived');
}

function stateAfter(
  { startedAt, seconds, transitions, folder }: CuratorReport & { folder: string },
  runCount: number,
): JsonObject {
  const count = (state: string) => transitions.filter(({ to }) => to === state).length;
  return {
    last_run_at: startedAt.toISOString(),
    last_run_duration_seconds: seconds,
    last_run_summary: `${count('stale')} stale, ${count('archived')} archived, ${count('active')} active again`,
    last_report_path: folder,
    run_count: runCount + 1,
  };
}

function notOurs({ name, origin }: LocalSkill, action: string): UserError {
  const whose = origin === 'hub' ? 'was installed from a hub' : 'came with the program';
  return new UserError(`'${name}' ${whose}; it cannot be ${action}.`, {
    hint: 'The curator keeps skills that you or the agent made.',
  });
}

/** Where it was, as far as that is a place below the folder. */
function restorePlace(entry: JsonObject, name: string): string {
  const { archived_from: from } = entry;
  const fits =
    typeof from === 'string' && /^(?:[A-Za-z0-9][\w.-]*\/)*[A-Za-z0-9][\w.-]*$/.test(from) && basename(from) === name;
  return fits ? from : name;
}

function freePlace(folder: string, name: string): string {
  for (let count = 1; ; count += 1) {
    const path = join(folder, count === 1 ? name : `${name}-${count}`);
    if (!existsSync(path)) return path;
  }
}

/** Removes category folders that hold nothing any more, up to `root`. */
function removeEmptied(root: string, folder: string): void {
  for (let path = folder; path.startsWith(`${root}/`) || path.startsWith(`${root}\\`); path = dirname(path)) {
    try {
      rmdirSync(path);
    } catch {
      return;
    }
  }
}
