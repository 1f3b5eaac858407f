/** A job that names no model was made for the one that was configured then; with another one it does not run. */
import type { Job } from '../../cron/job.ts';
import { providerWord } from '../../runtime/open-job-desk.ts';
import type { ModelRoute } from '../../llm/protocol.ts';

/** Why it must not run, in one line; undefined when it may. */
export function driftOf(job: Job, route: Pick<ModelRoute, 'provider' | 'model'>): string | undefined {
  const changes = [
    change('provider', job.provider ?? undefined, job.provider_snapshot ?? undefined, providerWord(route.provider)),
    change('model', job.model ?? undefined, job.model_snapshot ?? undefined, route.model),
  ].filter((line) => line !== undefined);
  if (changes.length === 0) return undefined;
  return `Not run, because ${changes.join(' and ')} since the job was made. Pin it: hermes cron edit ${job.id} --provider ${providerWord(route.provider)} --model ${route.model}`;
}

function change(what: string, pinned: string | undefined, was: string | undefined, now: string): string | undefined {
  if (pinned !== undefined || was === undefined || providerWord(was).toLowerCase() === now.toLowerCase())
    return undefined;
  return `the ${what} of the settings changed from ${was} to ${now}`;
}
