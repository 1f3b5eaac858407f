/** A job that names no model was made for the one that was configured then; with another one it does not run. */
import type { Job } from '../../cron/job.ts';
import type { Snapshot } from '../../cron/job-desk.ts';
import type { Program } from '../../runtime/program.ts';
import type { ModelRoute } from '../../llm/protocol.ts';

/** What the settings name now; nothing where they name nothing that could be used. */
export async function currentModel({ models }: Pick<Program, 'models'>): Promise<Snapshot> {
  try {
    const { provider, model } = await models.resolve({});
    return { provider: plain(provider), model };
  } catch {
    // Without a model there is nothing to hold the job to.
    return { provider: null, model: null };
  }
}

/** Why it must not run, in one line; undefined when it may. */
export function driftOf(job: Job, route: Pick<ModelRoute, 'provider' | 'model'>): string | undefined {
  const changes = [
    change('provider', job.provider ?? undefined, job.provider_snapshot ?? undefined, plain(route.provider)),
    change('model', job.model ?? undefined, job.model_snapshot ?? undefined, route.model),
  ].filter((line) => line !== undefined);
  if (changes.length === 0) return undefined;
  return `Not run, because ${changes.join(' and ')} since the job was made. Pin it: hermes cron edit ${job.id} --provider ${plain(route.provider)} --model ${route.model}`;
}

function change(what: string, pinned: string | undefined, was: string | undefined, now: string): string | undefined {
  if (pinned !== undefined || was === undefined || plain(was).toLowerCase() === now.toLowerCase()) return undefined;
  return `the ${what} of the settings changed from ${was} to ${now}`;
}

/** The original calls every endpoint of the user's own `custom`. */
function plain(provider: string): string {
  return provider.startsWith('custom:') ? 'custom' : provider;
}
