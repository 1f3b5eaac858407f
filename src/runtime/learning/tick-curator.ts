/** Lets the curator run by itself, when it is time and nobody is at work. */
import { errorMessage } from '../../lib/errors.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { Consolidate, Curator } from '../../curator/curator.ts';
import type { CuratorReport } from '../../curator/report.ts';
import { curatorSettings } from './curator-settings.ts';
import type { ConsolidationOptions } from './open-consolidation.ts';

export interface TickOptions extends ConsolidationOptions {
  /** Tells when somebody worked last. */
  readonly store: SessionStore | undefined;
  readonly now?: () => Date;
}

/** Of so many sessions the newest message is looked for. */
const recentSessions = 20;

/**
 * For the start of a session and for a periodic tick. Resolves to one line for the user when something was done. Costs
 * one small file while it is not time. Never rejects.
 */
export async function tickCurator(options: TickOptions, signal: AbortSignal): Promise<string | undefined> {
  const { home, config, store, now = () => new Date() } = options;
  if (!config.config.curator.enabled) return undefined;
  try {
    const { createCurator } = await import('../../curator/curator.ts');
    const curator = createCurator({ homePath: home.path, settings: curatorSettings(config.config), now });
    const consolidate = config.config.curator.consolidate ? merging(options, curator) : undefined;
    const report = await curator.tick(() => lastWork(store), {
      signal,
      ...(consolidate === undefined ? {} : { consolidate }),
    });
    return report === undefined ? undefined : lineOf(report);
  } catch (error) {
    // They are tidied up tomorrow; the user came for something else.
    options.log?.named('curator').warning('skills were not tidied up', error);
    return undefined;
  }
}

async function lastWork(store: SessionStore | undefined): Promise<Date | undefined> {
  const sessions = (await store?.sessions.list({ limit: recentSessions })) ?? [];
  const times = sessions.filter(({ message_count: count }) => count > 0).map(({ last_active: at }) => at * 1000);
  return times.length === 0 ? undefined : new Date(Math.max(...times));
}

/** Opens a model only when there is something to merge. */
function merging(options: TickOptions, curator: Curator): Consolidate {
  return async (skills, signal) => {
    try {
      const { openConsolidation } = await import('./open-consolidation.ts');
      const opened = await openConsolidation(options, curator);
      try {
        return await opened.consolidate(skills, signal);
      } finally {
        await opened.close();
      }
    } catch (error) {
      return { merged: {}, summary: '', error: errorMessage(error) };
    }
  };
}

function lineOf({ transitions, merges }: CuratorReport): string | undefined {
  const archived = transitions.filter(({ to }) => to === 'archived').length;
  const merged = Object.keys(merges?.merged ?? {}).length;
  const parts = [
    ...(archived === 0 ? [] : [`${archived} unused skill${archived === 1 ? '' : 's'} archived`]),
    ...(merged === 0 ? [] : [`${merged} merged`]),
  ];
  return parts.length === 0 ? undefined : `🧹 ${parts.join(', ')}; see: hermes curator status`;
}
