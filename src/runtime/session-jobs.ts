/** The scheduled jobs that a session may see and change. */
import type { JobDesk } from '../cron/job-desk.ts';
import type { SuggestionStore } from '../cron/suggestion-store.ts';
import type { JobAccess, JobOrigin } from '../tools/cron/job-access.ts';
import type { SessionParts } from './session-parts.ts';

type Parts = Pick<SessionParts, 'home' | 'config' | 'env' | 'tools' | 'log'> & Partial<Pick<SessionParts, 'models'>>;

/** Undefined where the session has no tool for them, and for a person whose chat is not known. */
export function sessionJobs(
  parts: Parts,
  { userId, origin }: { readonly userId: string | null; readonly origin: JobOrigin | undefined },
): JobAccess | undefined {
  if (!parts.tools.some(({ toolset }) => toolset === 'cronjob')) return undefined;
  if (userId !== null && origin === undefined) return undefined;
  let opened: Promise<JobDesk> | undefined;
  return { origin, desk: () => (opened ??= openDesk(parts)), suggestions: () => openStore(parts) };
}

async function openDesk(parts: Parts): Promise<JobDesk> {
  const { openJobDesk } = await import('./open-job-desk.ts');
  return openJobDesk(parts);
}

async function openStore(parts: Parts): Promise<SuggestionStore> {
  const { openSuggestions } = await import('./open-job-desk.ts');
  return openSuggestions(parts);
}
