/** Changing skills: what a change would be, the change itself, and changes that wait for a person. */
import { join } from 'node:path';
import { withFileLock } from '../../lib/file-lock.ts';
import type { Finding } from '../../safety/skill-guard/guard.ts';
import type { Authorship } from '../authorship.ts';
import type { SkillSearch } from '../load-skill.ts';
import type { SkillAnswer } from '../skill-view.ts';
import type { SkillUsage } from '../usage.ts';
import { type ChangeOrigin, openPendingChanges, type PendingChange, summarize } from './pending-changes.ts';
import type { ManageRequest, Planned, SkillChange } from './skill-change.ts';

/** What a call would do, for whoever decides about it. */
export interface SkillProposal {
  /** Names exactly this change; `apply` takes it as `expecting`. */
  readonly fingerprint: string;
  /** Absolute. */
  readonly file: string;
  /** Absent for a new file. */
  readonly before: string | undefined;
  /** Absent for a file that goes. */
  readonly after: string | undefined;
  /** All of it as a unified diff, or the line that the whole skill goes. */
  readonly diff: string;
  /** What the guard wants a person to decide about; empty where it is off or lets the change pass. */
  readonly findings: readonly Finding[];
  /** `skills.write_approval`: without a review `apply` would only note the change down. */
  readonly needsApproval: boolean;
}

/**
 * Writes skills. Asks nobody: whoever calls looks at a proposal first, and has asked where asking was due.
 *
 * @example
 * const proposal = await author.propose(request);
 * if ('problem' in proposal) return proposal.problem;
 * if (!(await personAllows(proposal.diff, proposal.findings))) return refused;
 * return await author.apply(request, { expecting: proposal.fingerprint }, signal);
 */
export interface SkillAuthor {
  /**
   * What a call would write; nothing is written. `problem` is what the model is answered to a call that cannot be done:
   * nobody need be asked about it.
   */
  propose(request: ManageRequest, signal?: AbortSignal): Promise<SkillProposal | { readonly problem: SkillAnswer }>;
  /**
   * Does what a call says and answers what `skill_manage` answers. `expecting` is the fingerprint of a proposal that was
   * reviewed, its findings included: that change is made, and nothing if the skill is another one by now. Without it
   * nobody has looked: with `skills.write_approval` the change is noted down, and what the guard finds is refused.
   * What was written with `isOwnWords` counts as the agent's own from then on, unless it was somebody else's before.
   * Throws when `signal` ends the wait for other writers.
   */
  apply(request: ManageRequest, options: ApplyOptions, signal: AbortSignal): Promise<SkillAnswer>;
  /** Notes a change down for the user to review; a call that cannot be done is answered at once. */
  stage(request: ManageRequest): Promise<SkillAnswer>;
  /** Changes that wait for the user. */
  readonly pending: PendingReview;
}

export interface ApplyOptions {
  readonly expecting?: string | undefined;
  /** Nobody but the person and the agent has had a word in the conversation that this comes from. */
  readonly isOwnWords?: boolean;
}

export interface PendingReview {
  /** Oldest first. */
  list(): readonly (PendingChange & { readonly summary: string })[];
  /** A unified diff against what is on disk now; `undefined` for an unknown id. */
  diff(id: string): Promise<string | undefined>;
  /** Makes the change if it still fits, and only then forgets it. */
  approve(id: string, signal: AbortSignal): Promise<SkillAnswer>;
  /** False for an unknown id. */
  reject(id: string): boolean;
}

export interface SkillAuthorOptions {
  /** The active home, absolute. */
  readonly homePath: string;
  /** `skills.guard_agent_created`: texts are scanned before they are written. */
  readonly guard: boolean;
  /** `skills.write_approval` */
  readonly writeApproval: boolean;
  readonly origin: ChangeOrigin;
  readonly usage: SkillUsage;
  readonly authorship: Authorship;
  /** What is on disk now, read anew after every change. */
  readonly search: () => Promise<SkillSearch>;
  /** Called after every change. */
  readonly onChanged: () => void;
  readonly now: () => Date;
}

/** How a change came to be allowed. */
interface Review {
  readonly origin: ChangeOrigin;
  /** A person has seen the change, whatever the guard finds in it. */
  readonly isReviewed: boolean;
  readonly expecting?: string | undefined;
  readonly isOwnWords: boolean;
}

/** Skills of a home. One process writes at a time; each change is planned again under the lock, so that none is lost. */
export class HomeSkillAuthor implements SkillAuthor {
  readonly #options: SkillAuthorOptions;
  readonly #waiting;

  constructor(options: SkillAuthorOptions) {
    this.#options = options;
    this.#waiting = openPendingChanges(options.homePath, options.now);
  }

  async propose(
    request: ManageRequest,
    signal?: AbortSignal,
  ): Promise<SkillProposal | { readonly problem: SkillAnswer }> {
    signal?.throwIfAborted();
    const planned = await this.#plan(request);
    if ('problem' in planned) return planned;
    const { diffOf, findingsIn, fingerprintOf } = await import('./propose-change.ts');
    const { guard, writeApproval } = this.#options;
    const { path: file, before, after } = planned.file;
    return {
      fingerprint: fingerprintOf(planned),
      file,
      before,
      after,
      diff: await diffOf(planned),
      findings: guard ? findingsIn(planned) : [],
      needsApproval: writeApproval,
    };
  }

  async apply(
    request: ManageRequest,
    { expecting, isOwnWords = false }: ApplyOptions,
    signal: AbortSignal,
  ): Promise<SkillAnswer> {
    const isReviewed = expecting !== undefined;
    if (this.#options.writeApproval && !isReviewed) return await this.stage(request);
    return await this.#make(request, { origin: this.#options.origin, isReviewed, expecting, isOwnWords }, signal);
  }

  async stage(request: ManageRequest): Promise<SkillAnswer> {
    const planned = await this.#plan(request);
    if ('problem' in planned) return planned.problem;
    const summary = summarize(request);
    const { id } = this.#waiting.add(request, this.#options.origin, summary);
    return {
      success: true,
      staged: true,
      pending_id: id,
      message: `Nothing was written yet: '${summary}' waits for the user's approval (/skills approve ${id}).`,
    };
  }

  readonly pending: PendingReview = {
    list: () =>
      this.#waiting.list().map((change) => ({ ...change, summary: change.summary ?? summarize(change.payload) })),
    diff: async (id) => {
      const change = this.#waiting.find(id);
      if (change === undefined) return undefined;
      const planned = await this.#plan(change.payload);
      if ('problem' in planned) return `This change no longer applies: ${JSON.stringify(planned.problem['error'])}`;
      const { diffOf } = await import('./propose-change.ts');
      return await diffOf(planned);
    },
    approve: async (id, signal) => {
      const change = this.#waiting.find(id);
      if (change === undefined) return { success: false, error: `No change '${id}' is waiting.` };
      const answer = await this.#make(
        change.payload,
        { origin: change.origin, isReviewed: true, isOwnWords: false },
        signal,
      );
      if (answer.success) this.#waiting.remove(id);
      return answer;
    },
    reject: (id) => this.#waiting.remove(id),
  };

  async #plan(request: ManageRequest): Promise<Planned> {
    const { search, usage } = this.#options;
    const { planChange } = await import('./skill-change.ts');
    return await planChange(request, await search(), (name) => usage.isPinned(name));
  }

  async #make(request: ManageRequest, review: Review, signal: AbortSignal): Promise<SkillAnswer> {
    const { homePath, guard, authorship, onChanged } = this.#options;
    const { findingsIn, fingerprintOf, refusedFindings } = await import('./propose-change.ts');
    const { describeChange, writeChange } = await import('./write-change.ts');
    const write = async (): Promise<Planned> => {
      const planned = await this.#plan(request);
      if ('problem' in planned) return planned;
      const { expecting, isReviewed } = review;
      if (expecting !== undefined && expecting !== fingerprintOf(planned))
        return { problem: changedMeanwhile(request) };
      const findings = guard && !isReviewed ? findingsIn(planned) : [];
      if (findings.length > 0) return { problem: refusedFindings(findings) };
      const skill = placeOf(planned);
      const isOwn = review.isOwnWords && (request.action === 'create' || authorship.isOwn(skill));
      writeChange(planned);
      onChanged();
      await this.#count(planned, review.origin);
      if (!planned.removesSkill) await authorship.changed(skill, isOwn);
      return planned;
    };
    const written = await withFileLock(join(homePath, 'skills', '.manage.lock'), write, { signal });
    if ('problem' in written) return written.problem;
    return describeChange(written);
  }

  async #count({ request, directoryName }: SkillChange, origin: ChangeOrigin): Promise<void> {
    const { usage } = this.#options;
    if (request.action === 'create') await usage.created(directoryName, origin === 'background_review');
    else if (request.action === 'delete') await usage.removed(directoryName);
    else await usage.count(directoryName, 'patch');
  }
}

function placeOf({ directory, directoryName }: SkillChange) {
  return { directory, directoryName, file: join(directory, 'SKILL.md') };
}

function changedMeanwhile({ name }: ManageRequest): SkillAnswer {
  const error = `Skill '${name}' was changed after this change was prepared. Nothing was written: view the skill again, then retry.`;
  return { success: false, error };
}
