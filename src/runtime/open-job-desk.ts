/** Scheduled jobs of a home, for those who look at them and change them, and run none. */
import { cronSettings } from '../config/cron.ts';
import { JobDesk, type Snapshot } from '../cron/job-desk.ts';
import { JobStore } from '../cron/job-store.ts';
import { SuggestionStore } from '../cron/suggestion-store.ts';
import { systemZone } from '../cron/time.ts';
import { type Log, noLog } from '../lib/log.ts';
import type { ModelAccess, ModelAccessOptions } from './model-access.ts';

export interface JobDeskParts extends Omit<ModelAccessOptions, 'log'> {
  readonly log?: Log;
  /** Absent: opened for the moment in which a job is made. */
  readonly models?: Pick<ModelAccess, 'resolve'>;
}

export function openJobDesk(parts: JobDeskParts): JobDesk {
  const { home, config, env, log = noLog, models } = parts;
  const zone = cronSettings(config, env).zone || systemZone();
  const store = new JobStore({ homePath: home.path, log: log.named('cron'), zone: () => zone });
  const snapshot = () => (models === undefined ? snapshotOf(parts) : currentModel(models));
  return new JobDesk({ store, homePath: home.path, snapshot });
}

/** What was proposed to be scheduled in a home. */
export function openSuggestions(parts: Pick<JobDeskParts, 'home' | 'config' | 'env' | 'log'>): SuggestionStore {
  const { home, config, env, log = noLog } = parts;
  return new SuggestionStore({
    homePath: home.path,
    zone: cronSettings(config, env).zone || systemZone(),
    log: log.named('cron'),
  });
}

/** What the settings name now; nothing where they name nothing that could be used. */
export async function currentModel(models: Pick<ModelAccess, 'resolve'>): Promise<Snapshot> {
  try {
    const { provider, model } = await models.resolve({});
    return { provider: providerWord(provider), model };
  } catch {
    // Without a model there is nothing to hold a job to.
    return { provider: null, model: null };
  }
}

/** The original calls every endpoint of the user's own `custom`. */
export function providerWord(provider: string): string {
  return provider.startsWith('custom:') ? 'custom' : provider;
}

async function snapshotOf(options: ModelAccessOptions): Promise<Snapshot> {
  const { openModelAccess } = await import('./model-access.ts');
  const models = await openModelAccess(options);
  try {
    return await currentModel(models);
  } finally {
    await models.close();
  }
}
