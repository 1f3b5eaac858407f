/** Finds the model of a side task and asks it, with the task's deadline and the next candidate for one that fails. */
import { setTimeout as delay } from 'node:timers/promises';
import { startDeadline } from '../lib/deadline.ts';
import { errorMessage, UserError } from '../lib/errors.ts';
import { type Log, noLog } from '../lib/log.ts';
import { estimateUsage } from '../llm/estimate.ts';
import { ModelError } from '../llm/model-error.ts';
import type { CalledModel, ModelEvent, ModelRoute, Usage } from '../llm/protocol.ts';
import type { SideAnswer, SideLadder, SideLadders, SideModels, SideRequest, SideTask } from '../llm/side-task.ts';
import { splitThinking } from '../llm/thinking.ts';
import type { RouteRequest } from './choose-provider.ts';
import type { FallbackEntry } from './fallback-entries.ts';
import type { RouteSources } from './route-services.ts';
import { type Candidate, planFor, type SidePlan, type SideTaskSettings } from './side-plan.ts';

export interface SideModelsOptions {
  /** Looked at with every request; those that plug-ins brought are there as well. */
  readonly tasks: () => Readonly<Record<string, SideTaskSettings>>;
  readonly sources: RouteSources;
  /** The model of the conversation. */
  readonly main: () => ModelRoute;
  /** `auxiliary.transient_retries`: how often a model that could not be reached is tried again; default 2. */
  readonly retries?: () => number;
  /** Waits between two tries; default: real time. Must resolve when the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** `fallback_providers`. */
  readonly fallbacks: readonly FallbackEntry[];
  readonly resolve: (request: RouteRequest, signal: AbortSignal) => Promise<ModelRoute>;
  /** Told when a task had to do without its own model, and when nothing was left; each line once. */
  readonly warn?: (line: string) => void;
  /** Told of the tokens of every request that was answered; estimated ones where the provider reports none. */
  readonly onUsage?: (task: SideTask, usage: Usage, on: CalledModel) => Promise<void>;
  /** Asked before every request; a line refuses it (a spending cap is reached). */
  readonly refusal?: (on: CalledModel) => Promise<string | undefined>;
  readonly log?: Log;
}

const defaultTask: SideTaskSettings = { provider: 'auto', model: '', base_url: '', api_key: '', timeout: 120 };
/** Opened routes are kept, with their connections, as long as this many suffice. */
const maxOpenRoutes = 16;
const defaultRetries = 2;
const firstWaitMs = 1000;
const longestWaitMs = 8000;

export class ConfiguredSideModels implements SideModels, SideLadders {
  readonly #options: SideModelsOptions;
  readonly #opened = new Map<string, Promise<ModelRoute>>();
  readonly #warned = new Set<string>();

  /** Throws nothing until asked. */
  constructor(options: SideModelsOptions) {
    this.#options = options;
  }

  async ask(task: SideTask, request: SideRequest, signal: AbortSignal): Promise<SideAnswer> {
    const name = request.own ?? task;
    const settings = this.#settingsOf(name);
    using deadline = startDeadline(settings.timeout * 1000, signal);
    const { signal: either } = deadline;
    const rungs = new Rungs(this.#planOf(name, settings, request), (candidate) => this.#open(candidate, either));
    return await this.#climb(name, rungs, async () => {
      try {
        const route = await this.#next(name, rungs);
        const refused = await this.#options.refusal?.(route);
        if (refused !== undefined) throw new Final(new UserError(refused));
        const asked = { ...withTask(route, settings, request), reasoningEffort: settings.reasoningEffort };
        return await this.#persist(() => this.#askRoute(task, asked, request, either), either);
      } catch (error) {
        if (signal.aborted) throw new Final(new ModelError('aborted', `Auxiliary ${name} was interrupted`));
        if (!deadline.passed) throw error;
        throw new Final(new ModelError('timeout', `Auxiliary ${name}: no answer within ${settings.timeout} s`));
      }
    });
  }

  async ladder(task: SideTask, signal: AbortSignal): Promise<SideLadder> {
    const settings = this.#settingsOf(task);
    const plan = this.#planOf(task, settings);
    const rungs = new Rungs(plan, (candidate) => this.#open(candidate, signal));
    const open = async (): Promise<ModelRoute> => withTask(await this.#next(task, rungs), settings);
    const route = await this.#climb(task, rungs, open);
    const fallbacks = Array.from({ length: rungs.left }, () => open);
    const { reasoningEffort, timeout } = settings;
    return {
      route,
      fallbacks,
      timeoutMs: timeout * 1000,
      movesOn: plan.movesOn,
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    };
  }

  async contextLength(task: SideTask): Promise<number | undefined> {
    const settings = this.#settingsOf(task);
    const { candidates, more } = this.#planOf(task, settings);
    const first = candidates[0] ?? more?.()[0];
    if (first === undefined) return undefined;
    try {
      return (await this.#open(first, AbortSignal.timeout(settings.timeout * 1000))).contextLength;
    } catch (error) {
      (this.#options.log ?? noLog).info(`the window of the model for ${task} is not known`, error);
      return undefined;
    }
  }

  /** What `attempt` gives for the first candidate that it does not fail for. */
  async #climb<T>(task: string, rungs: Rungs, attempt: () => Promise<T>): Promise<T> {
    let last: unknown;
    while (rungs.hasMore) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof SameProvider) continue;
        if (error instanceof Final) throw error.cause;
        if (error instanceof ModelError && !rungs.movesOn(error)) throw error;
        // A candidate that is not set up is passed over; what a model said before counts more than that.
        if (error instanceof ModelError || last === undefined) last = error;
      }
    }
    last ??= new UserError(`No model is set up for the task ${task}.`);
    this.#warn(`Auxiliary ${task}: ${errorMessage(last)}; all fallbacks exhausted.`);
    throw last;
  }

  /** Tries again what failed on the way to the model: often the next try arrives. */
  async #persist<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { retries = () => defaultRetries, sleep = realSleep } = this.#options;
    const most = retries();
    for (let tried = 0; ; tried += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (tried >= most || !isPassing(error) || signal.aborted) throw error;
        await sleep(Math.min(firstWaitMs * 2 ** tried, longestWaitMs), signal);
      }
    }
  }

  async #next(task: string, rungs: Rungs): Promise<ModelRoute> {
    const { isFirst } = rungs;
    const route = await rungs.next();
    if (!isFirst) this.#warn(`Auxiliary ${task}: continuing with ${route.model} (${route.provider}).`);
    return route;
  }

  #settingsOf(task: string): SideTaskSettings {
    return { ...defaultTask, ...this.#options.tasks()[task] };
  }

  #planOf(
    task: string,
    settings: SideTaskSettings,
    { model, provider }: Pick<SideRequest, 'model' | 'provider'> = {},
  ): SidePlan {
    const { main, fallbacks, sources } = this.#options;
    return planFor({ task, settings, model, provider, main, fallbacks }, sources);
  }

  #warn(line: string): void {
    if (this.#warned.has(line)) return;
    this.#warned.add(line);
    this.#options.warn?.(line);
  }

  async #open(candidate: Candidate, signal: AbortSignal): Promise<ModelRoute> {
    if (candidate === 'main') return this.#options.main();
    const key = JSON.stringify(candidate);
    const known = this.#opened.get(key);
    if (known !== undefined) return await known;
    const route = this.#options.resolve({ ...candidate, sideTask: true }, signal);
    this.#opened.set(key, route);
    const oldest = this.#opened.keys().next().value;
    if (this.#opened.size > maxOpenRoutes && oldest !== undefined) this.#opened.delete(oldest);
    try {
      return await route;
    } catch (error) {
      this.#opened.delete(key);
      throw error;
    }
  }

  async #askRoute(
    task: SideTask,
    route: ModelRoute & Pick<SideTaskSettings, 'reasoningEffort'>,
    { messages, tools = [], maxTokens }: SideRequest,
    signal: AbortSignal,
  ): Promise<SideAnswer> {
    const { onUsage } = this.#options;
    const { model, provider, temperature, extraBody, reasoningEffort } = route;
    const request = {
      model,
      messages,
      tools,
      stream: route.streaming,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(extraBody === undefined ? {} : { extraBody }),
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    };
    let done: Extract<ModelEvent, { type: 'done' }> | undefined;
    for await (const event of route.protocol.stream(request, signal)) {
      if (event.type === 'spent') await onUsage?.(task, event.usage, event.on);
      if (event.type === 'done') done = event;
    }
    if (done === undefined) throw new ModelError('malformed', `${provider} ended its answer without a result`);
    await onUsage?.(task, done.usage ?? estimateUsage(request, done.message), done.answeredBy ?? route);
    return {
      text: splitThinking(done.message.content ?? '').text.trim(),
      toolCalls: done.message.tool_calls ?? [],
      stopReason: done.stopReason,
      ...(done.usage === undefined ? {} : { usage: done.usage }),
      provider,
      model,
    };
  }
}

/** Opens the candidates of a plan one after the other; asking for the next one means that the last has failed. */
class Rungs {
  readonly #plan: SidePlan;
  readonly #open: (candidate: Candidate) => Promise<ModelRoute>;
  #more: readonly Candidate[] | undefined;
  #position = 0;
  #failedProvider: string | undefined;

  constructor(plan: SidePlan, open: (candidate: Candidate) => Promise<ModelRoute>) {
    this.#plan = plan;
    this.#open = open;
  }

  /** Those that only matter when all before them have failed are not looked for earlier. */
  get hasMore(): boolean {
    return this.#position < this.#plan.candidates.length || this.left > 0;
  }

  get left(): number {
    return this.#all.length - this.#position;
  }

  get #all(): readonly Candidate[] {
    const { candidates, more } = this.#plan;
    this.#more ??= more?.() ?? [];
    return [...candidates, ...this.#more];
  }

  get isFirst(): boolean {
    return this.#position === 0;
  }

  movesOn(error: ModelError): boolean {
    return this.#plan.movesOn(error);
  }

  /** Rejects when the candidate is not set up, and with `SameProvider` for a provider that has just failed. */
  async next(): Promise<ModelRoute> {
    const candidate = this.#plan.candidates[this.#position] ?? this.#all[this.#position];
    this.#position += 1;
    if (candidate === undefined) throw new UserError('No model is left for this task.');
    // Another address of one's own is another provider.
    const named = candidate !== 'main' && candidate.baseUrl === undefined;
    if (named && candidate.provider === this.#failedProvider) throw new SameProvider();
    const route = await this.#open(candidate);
    this.#failedProvider = route.provider;
    return route;
  }
}

class SameProvider extends UserError {
  constructor() {
    super('This provider has just failed.');
  }
}

/** The connection broke, or the provider is ill; not that it took too long: nobody waits for that several times. */
function isPassing(error: unknown): boolean {
  return error instanceof ModelError && (error.kind === 'network' || error.kind === 'overloaded');
}

/** Holds an error after which no other candidate is tried: a spending cap, the deadline, or nobody who waits. */
class Final extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Temperature and body fields are the request's or the task's; those of the conversation do not count. */
function withTask(route: ModelRoute, settings: SideTaskSettings, request?: SideRequest): ModelRoute {
  const { temperature: _conversation, extraBody: _own, ...rest } = route;
  const temperature = request?.temperature ?? settings.temperature;
  return {
    ...rest,
    ...(temperature === undefined ? {} : { temperature }),
    ...(settings.extra_body === undefined ? {} : { extraBody: settings.extra_body }),
  };
}

async function realSleep(ms: number, signal: AbortSignal): Promise<void> {
  // Only an abort rejects, and who called looks at the signal.
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
