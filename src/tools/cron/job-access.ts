/** How a session reaches scheduled jobs: those of its person alone. */
import type { Job } from '../../cron/job.ts';
import type { JobDesk } from '../../cron/job-desk.ts';
import type { SuggestionStore } from '../../cron/suggestion-store.ts';
import { UserError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';

/** The chat that a session is in, as a job keeps it. */
export interface JobOrigin {
  readonly platform: string;
  readonly chat_id: string;
  readonly chat_name?: string;
  readonly thread_id?: string;
  /** Absent in chats that several people share. */
  readonly user_id?: string;
}

export interface JobAccess {
  /** Absent on the owner's own machine: all jobs are theirs. */
  readonly origin: JobOrigin | undefined;
  /** Opened with its first use. */
  desk(): Promise<JobDesk>;
  /** Jobs that were proposed to whoever uses this home. */
  suggestions(): Promise<SuggestionStore>;
}

/** In a private chat those of the person, in a shared one those of the chat. */
export function isVisible(job: Pick<Job, 'origin'>, origin: JobOrigin | undefined): boolean {
  if (origin === undefined) return true;
  if (job.origin?.platform !== origin.platform) return false;
  if (origin.user_id !== undefined) return job.origin.user_id === origin.user_id;
  return job.origin.chat_id === origin.chat_id && job.origin.user_id == null;
}

/** The output of others is not to be read through a job. Throws `UserError`. */
export function checkContext(ids: readonly string[], visible: readonly Pick<Job, 'id'>[]): void {
  const strange = ids.find((id) => !visible.some((job) => job.id === id));
  if (strange !== undefined) throw new UserError(`context_from: there is no job with the id '${strange}'.`);
}

export function originRecord(origin: JobOrigin | undefined): JsonObject | undefined {
  return origin === undefined ? undefined : { ...origin };
}
