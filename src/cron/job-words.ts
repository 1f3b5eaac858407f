/** Jobs in words, for people and for models. */
import type { Job } from './job.ts';

/** `forever`, `once`, `1/3`, `3 times`. */
export function repeatWords({ repeat: { times, completed } }: Pick<Job, 'repeat'>): string {
  if (times == null) return 'forever';
  if (times === 1) return completed === 0 ? 'once' : '1/1';
  return completed === 0 ? `${times} times` : `${completed}/${times}`;
}

export function scheduleWords(job: Pick<Job, 'schedule' | 'schedule_display'>): string {
  return job.schedule_display ?? job.schedule.display ?? '?';
}

/** `active`, `paused`, `completed`, `error`. */
export function stateWords({ enabled, state }: Pick<Job, 'enabled' | 'state'>): string {
  if (state !== 'scheduled') return state;
  return enabled ? 'active' : 'disabled';
}

/** Those that are still to run come without the rest, unless all are wanted. */
export function shownJobs(jobs: readonly Job[], all: boolean): readonly Job[] {
  return jobs.filter(({ enabled }) => all || enabled);
}
