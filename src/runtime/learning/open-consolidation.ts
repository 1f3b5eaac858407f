/** Merging of skills outside of a conversation: the model, the tools and the books it needs. */
import { ConfiguredSideModels } from '../../providers/side-models.ts';
import { usageDelta } from '../../sessions/store-transcript.ts';
import type { Consolidate, Curator } from '../../curator/curator.ts';
import { toolCatalogue } from '../../tools/catalogue.ts';
import type { ToolServices } from '../../tools/services.ts';
import { openModelAccess } from '../model-access.ts';
import { openSkills } from '../open-skills.ts';
import { openStore } from '../open-store.ts';
import type { RuntimeOptions } from '../runtime-options.ts';
import { createSessionPolicy } from '../session-policy.ts';
import { sideTasks } from '../side-tasks.ts';
import { createPricing, createSpending } from '../spending.ts';
import { createToolServices } from '../tool-services.ts';
import { createConsolidate } from './consolidate.ts';

export interface ConsolidationOptions extends Pick<RuntimeOptions, 'home' | 'env' | 'config' | 'cwd'> {
  /** Told one line when another model than the configured one did the work, or none could. */
  readonly onWarning?: (line: string) => void;
}

/** Throws `UserError` when no model is set up. `close` ends what was opened. */
export async function openConsolidation(
  options: ConsolidationOptions,
  curator: Pick<Curator, 'archive'>,
): Promise<{ readonly consolidate: Consolidate; close(): Promise<void> }> {
  const { config } = options;
  const { auxiliary, fallback_providers: fallbacks, limits, skills: settings } = config.config;
  const models = await openModelAccess(options);
  const { store } = await openStore(options.home);
  const close = async (): Promise<void> => {
    await models.close();
    await store?.close();
  };
  try {
    const route = await models.resolve({});
    const price = createPricing(models);
    const spending = createSpending({ limits, store, sessionId: () => 'curator', price, now: () => new Date() });
    spending.startTurn();
    const side = new ConfiguredSideModels({
      tasks: () => sideTasks(auxiliary),
      sources: models.sources,
      main: () => route,
      fallbacks,
      resolve: (request, signal) => models.resolve(request, signal),
      warn: (line) => options.onWarning?.(line),
      refusal: () => spending.refusal(),
      onUsage: async (task, usage, used) => {
        await spending.record(usage, used);
        await store?.addUsage(undefined, { ...usageDelta(usage, used), ...(await price(usage, used)), task });
      },
    });
    const tools = await Promise.all(
      toolCatalogue.filter(({ toolset }) => toolset === 'skills').map((entry) => entry.load()),
    );
    const runtime = { surface: 'cli', allowDemo: false, yolo: false, passSessionId: false, ignoreRules: false };
    const parts = { ...options, ...runtime, tools };
    const basic = createToolServices(parts, 'curator');
    const skills = await openSkills({ parts, services: basic, origin: 'background_review' });
    const services: ToolServices = { ...basic, ...(skills === undefined ? {} : { skills }) };
    const consolidate = createConsolidate({
      side,
      tools,
      services,
      // It reads the agent's own skills only.
      policy: createSessionPolicy(parts, services, () => []).policy,
      archive: (name) => curator.archive(name),
      writeApproval: settings.write_approval,
    });
    return {
      consolidate,
      async close() {
        await basic.environment.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
