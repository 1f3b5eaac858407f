/** The models that one session asks beside its conversation. */
import type { ModelRoute } from '../llm/protocol.ts';
import { ConfiguredSideModels } from '../providers/side-models.ts';
import type { SessionBooks } from './session-books.ts';
import type { SessionParts } from './session-parts.ts';
import { sideTasks } from './side-tasks.ts';

/** Requests beside the conversation count in the caps and the books like its own. */
export function sessionSideModels(
  { config, models }: Pick<SessionParts, 'config' | 'models'>,
  books: SessionBooks,
  session: { readonly route: () => ModelRoute; readonly warn: (line: string) => void },
): ConfiguredSideModels {
  return new ConfiguredSideModels({
    tasks: () => sideTasks(config.config.auxiliary),
    sources: models.sources,
    main: session.route,
    fallbacks: config.config.fallback_providers,
    resolve: (request, signal) => models.resolve(request, signal),
    warn: session.warn,
    refusal: () => books.spending.refusal(),
    onUsage: async (task, usage, on) => {
      await books.spending.record(usage, on);
      await books.recordSide(task, usage, on);
    },
  });
}
