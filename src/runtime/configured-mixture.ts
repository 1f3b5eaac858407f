/** A mixture of models as the configuration describes it. */
import { join } from 'node:path';
import { expandTilde } from '../config/home.ts';
import type { Log } from '../lib/log.ts';
import type { ModelRoute, Protocol } from '../llm/protocol.ts';
import { effortOverride } from '../llm/reasoning-effort.ts';
import type { MixedModel } from '../models/mixture/mixture-settings.ts';
import type { ProgramOptions } from './program-options.ts';
import { secretMask } from './secret-mask.ts';
import { bodyOf } from './side-tasks.ts';

/** Throws `UserError` as `openMixture` does. */
export async function openConfiguredMixture(
  name: string,
  { home, env, config, log }: Pick<ProgramOptions, 'home' | 'env' | 'config'> & { readonly log: Log },
  resolve: (model: MixedModel) => Promise<ModelRoute>,
): Promise<Protocol> {
  // Only who asks a mixture loads it.
  const { openMixture } = await import('../models/mixture/mixture.ts');
  const { MixtureTrace } = await import('../models/mixture/mixture-trace.ts');
  const { moa, auxiliary, agent } = config.config;
  const { extra_body: referenceBody, ...reference } = auxiliary.moa_reference;
  const { extra_body: aggregatorBody, ...aggregator } = auxiliary.moa_aggregator;
  const directory = moa.trace_dir === '' ? join(home.path, 'moa-traces') : expandTilde(moa.trace_dir, env);
  const trace = moa.save_traces ? new MixtureTrace({ directory, mask: secretMask({ config, env }), log }) : undefined;
  return await openMixture(name, moa, {
    resolve,
    reference: { ...reference, ...bodyOf(referenceBody) },
    aggregator: { ...aggregator, ...bodyOf(aggregatorBody) },
    effortFor: (model) => effortOverride(agent.reasoning_overrides, model),
    ...(trace === undefined ? {} : { trace: (record) => trace.write(record) }),
  });
}
