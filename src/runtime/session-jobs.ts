/** The scheduled jobs that a session may see and change. */
import { cronSettings } from '../config/cron.ts';
import type { JobDesk } from '../cron/job-desk.ts';
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
  return { origin, desk: () => (opened ??= openDesk(parts)) };
}

async function openDesk({ home, config, env, log, models }: Parts): Promise<JobDesk> {
  const [{ JobDesk: Desk }, { JobStore }, { systemZone }] = await Promise.all([
    import('../cron/job-desk.ts'),
    import('../cron/job-store.ts'),
    import('../cron/time.ts'),
  ]);
  const zone = cronSettings(config, env).zone || systemZone();
  const store = new JobStore({ homePath: home.path, log: log.named('cron'), zone: () => zone });
  return new Desk({
    store,
    homePath: home.path,
    async snapshot() {
      const route = await models?.resolve({}).catch(() => undefined);
      const provider = route?.provider.startsWith('custom:') === true ? 'custom' : route?.provider;
      return { provider: provider ?? null, model: route?.model ?? null };
    },
  });
}
