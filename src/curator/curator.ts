/** The curator: lets unused skills grow stale, moves old ones into the archive, and never deletes any. */
import { join } from 'node:path';
import { errorMessage, UserError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { type Log, noLog } from '../lib/log.ts';
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
import { SkillArchive } from './skill-archive.ts';
import { changeCuratorState, type CuratorState, readCuratorState } from './state.ts';
import { SkillUsage } from '../skills/usage.ts';

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
  readonly log?: Log;
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
  /**
   * Runs when it is on, not paused, an interval has passed and nobody has worked for long enough; else undefined.
   * `lastWork` tells when somebody worked last, and is asked only when all else says yes.
   */
  tick(lastWork: () => Promise<Date | undefined>, run: RunOptions): Promise<CuratorReport | undefined>;
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

/** Opens and changes nothing until a method is called. */
export function createCurator(options: CuratorOptions): Curator {
  return new HomeCurator(options);
}

function isUntil(date: Date | undefined, at: number): date is Date {
  return date !== undefined && date.getTime() <= at;
}

class HomeCurator implements Curator {
  readonly #options: CuratorOptions;
  readonly #usage: SkillUsage;
  readonly #archive: SkillArchive;

  constructor(options: CuratorOptions) {
    this.#options = options;
    this.#usage = new SkillUsage(options.homePath, options.now, options.log ?? noLog);
    this.#archive = new SkillArchive(options, this.#usage);
  }

  async tick(lastWork: () => Promise<Date | undefined>, options: RunOptions): Promise<CuratorReport | undefined> {
    const { enabled, intervalHours, minIdleHours } = this.#options.settings;
    const { lastRunAt, paused } = this.state();
    if (!enabled || paused) return undefined;
    const at = this.#options.now().getTime();
    // A time in the future comes from a clock that was wrong; it must not switch the curator off.
    if (!isUntil(lastRunAt, at)) {
      await changeCuratorState(this.#options.homePath, (state) =>
        // Many sessions may begin at once.
        isUntil(state.lastRunAt, at) ? undefined : { last_run_at: this.#options.now().toISOString() },
      );
      return undefined;
    }
    if (at - lastRunAt.getTime() < intervalHours * hour) return undefined;
    const idleSince = await lastWork();
    if (idleSince !== undefined && at - idleSince.getTime() < minIdleHours * hour) return undefined;
    return (await this.#claimRun(lastRunAt)) ? await this.run(options) : undefined;
  }

  async run(options: RunOptions): Promise<CuratorReport> {
    const { dryRun = false, ages = this.#options.settings, reason = 'curator run', consolidate, signal } = options;
    const startedAt = this.#options.now();
    const before = candidates(this.#options.homePath, this.#usage, ages.pruneBuiltins, startedAt);
    const planned = planTransitions(before, ages);
    const own = before.filter(({ origin, name }) => origin === 'agent' && !willGo(planned, name));
    const merging = consolidate !== undefined && own.length > 0 && !dryRun;
    const backup =
      !dryRun && (planned.length > 0 || merging) && this.#options.settings.backup.enabled
        ? await this.backup(reason, startedAt)
        : undefined;
    if (!dryRun && ages.pruneBuiltins) {
      await seedBundledUse(this.#options.homePath, agingBundled(this.#options.homePath, this.#usage), startedAt);
    }
    const { done, failed } = dryRun ? { done: planned, failed: [] } : await this.#makeAll(planned, signal);
    const merges = merging && !signal.aborted ? await consolidate(own, signal) : undefined;
    const report: CuratorReport = {
      startedAt,
      seconds: Math.max(0, this.#options.now().getTime() - startedAt.getTime()) / 1000,
      dryRun,
      checked: before.length,
      transitions: done,
      failed,
      ...(backup === undefined ? {} : { backup: backup.id }),
      ...(merges === undefined ? {} : { merges }),
    };
    if (dryRun) return report;
    const written = { ...report, folder: writeReport(this.#options.homePath, report) };
    await changeCuratorState(this.#options.homePath, ({ runCount }) => stateAfter(written, runCount));
    return written;
  }

  state(): CuratorState {
    return readCuratorState(this.#options.homePath);
  }

  skills(): ReturnType<Curator['skills']> {
    return {
      local: localSkills(this.#options.homePath, this.#usage),
      candidates: candidates(
        this.#options.homePath,
        this.#usage,
        this.#options.settings.pruneBuiltins,
        this.#options.now(),
      ),
    };
  }

  async setPaused(paused: boolean): Promise<void> {
    await changeCuratorState(this.#options.homePath, () => ({ paused }));
  }

  async setPinned(name: string, pinned: boolean): Promise<void> {
    const skill = this.#findOwn(name, pinned ? 'pinned' : 'unpinned');
    await this.#usage.set(skill.name, { pinned });
  }

  async archive(name: string): Promise<void> {
    const skill = this.#findOwn(name, 'archived');
    if (skill.pinned) {
      throw new UserError(`The skill '${skill.name}' is pinned.`, {
        hint: `Unpin it first: hermes curator unpin ${skill.name}`,
      });
    }
    await this.#archive.add(skill);
  }

  async restore(name: string): Promise<string> {
    return await this.#archive.restore(name);
  }

  archived(): string[] {
    return this.#archive.list();
  }

  async backup(reason: string, now = this.#options.now()): Promise<Backup> {
    return await takeBackup(this.#options.homePath, reason, now, this.#options.settings.backup.keep);
  }

  backups(): Backup[] {
    return listBackups(this.#options.homePath);
  }

  async rollBack(id: string | undefined): ReturnType<Curator['rollBack']> {
    return await rollBack(this.#options.homePath, id, this.#options.now());
  }

  /** One that fails does not hold up the others. */
  async #makeAll(planned: readonly Transition[], signal: AbortSignal) {
    const done: Transition[] = [];
    const failed: { readonly name: string; readonly error: string }[] = [];
    for (const transition of planned) {
      if (signal.aborted) break;
      const { skill, to } = transition;
      try {
        if (to === 'archived') await this.#archive.add(skill);
        else await this.#usage.set(skill.name, { state: to });
        done.push(transition);
      } catch (error) {
        failed.push({ name: skill.name, error: errorMessage(error) });
      }
    }
    return { done, failed };
  }

  /** False when another process was faster. */
  async #claimRun(lastRunAt: Date): Promise<boolean> {
    let isOurs = false;
    await changeCuratorState(this.#options.homePath, (state) => {
      isOurs = state.lastRunAt?.getTime() === lastRunAt.getTime();
      return isOurs ? { last_run_at: this.#options.now().toISOString() } : undefined;
    });
    return isOurs;
  }

  #findOwn(name: string, action: string): LocalSkill {
    const skill = localSkills(this.#options.homePath, this.#usage).find(
      (one) => one.name === name || one.place === name,
    );
    if (skill === undefined) {
      throw new UserError(`There is no skill '${name}' in ${join(this.#options.homePath, 'skills')}.`, {
        hint: 'See: hermes curator status',
      });
    }
    if (skill.origin === 'bundled' || skill.origin === 'hub') throw notOurs(skill, action);
    return skill;
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
