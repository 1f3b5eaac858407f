/** Jobs of a home, for those who look at them and change them, and run none. */
import { cronSettings } from '../../config/cron.ts';
import { JobDesk, type Snapshot } from '../../cron/job-desk.ts';
import { JobStore } from '../../cron/job-store.ts';
import { systemZone } from '../../cron/time.ts';
import { type ModelAccessOptions, openModelAccess } from '../../runtime/model-access.ts';
import { currentModel } from './model-drift.ts';
import { noLog } from '../../lib/log.ts';

/** What the settings name as the model is looked up when a job is made. */
export function openDesk(options: ModelAccessOptions): JobDesk {
  const { home, config, env, log = noLog } = options;
  const zone = cronSettings(config, env).zone || systemZone();
  const store = new JobStore({ homePath: home.path, log: log.named('cron'), zone: () => zone });
  return new JobDesk({ store, homePath: home.path, snapshot: () => snapshotFor(options) });
}

async function snapshotFor(options: ModelAccessOptions): Promise<Snapshot> {
  const models = await openModelAccess(options);
  try {
    return await currentModel({ models });
  } finally {
    await models.close();
  }
}
