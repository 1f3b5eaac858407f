/** The models that one session asks beside its conversation. */
import type { ModelRoute } from '../llm/protocol.ts';
import type { SideAnswer, SideLadder, SideLadders, SideModels, SideRequest, SideTask } from '../llm/side-task.ts';
import type { SessionBooks } from './session-books.ts';
import type { SessionParts } from './session-parts.ts';

export interface SessionSideModelsOptions {
  readonly parts: Pick<SessionParts, 'config' | 'models' | 'log' | 'plugins'>;
  /** Requests beside the conversation count in the caps and the books like its own. */
  readonly books: SessionBooks;
  /** The model of the conversation. */
  readonly route: () => ModelRoute;
  readonly warn: (line: string) => void;
}

/** Loads what finds and asks them with the first request: most sessions end without one. */
export class SessionSideModels implements SideModels, SideLadders {
  readonly #options: SessionSideModelsOptions;
  #opened: Promise<SideModels & SideLadders> | undefined;

  constructor(options: SessionSideModelsOptions) {
    this.#options = options;
  }

  async ask(task: SideTask, request: SideRequest, signal: AbortSignal): Promise<SideAnswer> {
    return await (await this.#models()).ask(task, request, signal);
  }

  async ladder(task: SideTask, signal: AbortSignal): Promise<SideLadder> {
    return await (await this.#models()).ladder(task, signal);
  }

  async contextLength(task: SideTask): Promise<number | undefined> {
    return await (await this.#models()).contextLength(task);
  }

  async #models(): Promise<SideModels & SideLadders> {
    this.#opened ??= this.#open();
    return await this.#opened;
  }

  async #open(): Promise<SideModels & SideLadders> {
    const { parts, books, route, warn } = this.#options;
    const { config, models, log, plugins } = parts;
    const { ConfiguredSideModels } = await import('../providers/side-models.ts');
    const { pluginTasks, sideTasks } = await import('./side-tasks.ts');
    return new ConfiguredSideModels({
      tasks: () => ({ ...sideTasks(config.config.auxiliary), ...pluginTasks(plugins, config.raw) }),
      retries: () => config.config.auxiliary.transient_retries,
      sources: models.sources,
      main: route,
      fallbacks: config.config.fallback_providers,
      resolve: (request, signal) => models.resolve(request, signal),
      warn,
      log,
      refusal: (on) => books.spending.refusal(on),
      onUsage: async (task, usage, on) => {
        await books.spending.record(usage, on);
        await books.recordSide(task, usage, on);
      },
    });
  }
}
