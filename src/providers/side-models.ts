/** Finds the model of a side task and asks it, with the task's deadline and the ways round a model that fails. */
import { errorMessage, UserError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { filled, type RouteRequest } from './choose-provider.ts';
import { type FallbackEntry, fallbackRequests } from './fallback-entries.ts';
import { type Environment, usableKey } from '../credentials/keys.ts';
import { estimateUsage } from '../llm/estimate.ts';
import { ModelError } from '../llm/model-error.ts';
import type { CalledModel, ModelEvent, ModelRoute, Usage } from '../llm/protocol.ts';
import { providerCatalogue } from './catalogue.ts';
import type { SideAnswer, SideModels, SideQuestion, SideTask } from '../llm/side-task.ts';
import { splitThinking } from '../llm/thinking.ts';

/** `auxiliary.<task>` of the configuration; empty strings are not set. */
export interface SideTaskSettings {
  /** Provider id, `auto`, or `main`. */
  readonly provider: string;
  readonly model: string;
  readonly base_url: string;
  readonly api_key: string;
  /** Seconds. */
  readonly timeout: number;
  readonly temperature?: number | undefined;
  readonly extra_body?: JsonObject | undefined;
  readonly fallback_chain?: readonly FallbackEntry[] | undefined;
}

export interface SideModelsOptions {
  /** Looked at with the first question. */
  readonly tasks: () => Readonly<Partial<Record<SideTask, SideTaskSettings>>>;
  readonly env: Environment;
  /** The model of the conversation. */
  readonly main: () => ModelRoute;
  /** `fallback_providers`. */
  readonly fallbacks: readonly FallbackEntry[];
  readonly resolve: (request: RouteRequest, signal: AbortSignal) => Promise<ModelRoute>;
  /** The configured endpoints of one's own, where the built-in chain has `custom`; default: none. */
  readonly endpoints?: () => readonly RouteRequest[];
  /** Told when a task had to do without its own model, and when nothing was left; each line once. */
  readonly warn?: (line: string) => void;
  /** Told of the tokens of every request that was answered; estimated ones where the provider reports none. */
  readonly onUsage?: (task: SideTask, usage: Usage, on: CalledModel) => Promise<void>;
  /** Asked before every request; a line refuses it (a spending cap is reached). */
  readonly refusal?: () => Promise<string | undefined>;
}

const defaultTask: SideTaskSettings = { provider: 'auto', model: '', base_url: '', api_key: '', timeout: 120 };
/** Opened routes are kept, with their connections, as long as this many suffice. */
const maxOpenRoutes = 16;

/** Throws nothing until asked. */
export function createSideModels(options: SideModelsOptions): SideModels {
  const opened = new Map<string, Promise<ModelRoute>>();
  const warned = new Set<string>();

  function warn(line: string): void {
    if (warned.has(line)) return;
    warned.add(line);
    options.warn?.(line);
  }

  async function openRoute(way: Way, signal: AbortSignal): Promise<ModelRoute> {
    if (way === 'main') return options.main();
    const key = JSON.stringify(way);
    const known = opened.get(key);
    if (known !== undefined) return await known;
    const route = options.resolve({ ...way, sideTask: true }, signal);
    opened.set(key, route);
    const oldest = opened.keys().next().value;
    if (opened.size > maxOpenRoutes && oldest !== undefined) opened.delete(oldest);
    route.catch(() => opened.delete(key));
    return await route;
  }

  return {
    async ask(task, question, signal) {
      const settings = { ...defaultTask, ...options.tasks()[task] };
      const plan = planFor(task, question, settings, options);
      const deadline = AbortSignal.timeout(settings.timeout * 1000);
      const either = AbortSignal.any([signal, deadline]);
      let last: unknown;
      let failedProvider: string | undefined;
      for (const [position, way] of plan.ways.entries()) {
        const refused = await options.refusal?.();
        if (refused !== undefined) throw new UserError(refused);
        // Another address of one's own is another provider.
        if (way !== 'main' && way.baseUrl === undefined && way.provider === failedProvider) continue;
        let route: ModelRoute | undefined;
        try {
          route = await openRoute(way, either);
          if (position > 0) warn(`Auxiliary ${task}: continuing with ${route.model} (${route.provider}).`);
          return await askRoute(task, question, settings, route, either, options);
        } catch (error) {
          if (signal.aborted) throw new ModelError('aborted', `Auxiliary ${task} was interrupted`);
          if (deadline.aborted) {
            throw new ModelError('timeout', `Auxiliary ${task}: no answer within ${settings.timeout} s`);
          }
          // A way that is not set up is passed over; what a model said before counts more than that.
          if (error instanceof ModelError || last === undefined) last = error;
          failedProvider = route?.provider ?? failedProvider;
          if (error instanceof ModelError && !plan.goesOn(error)) throw error;
        }
      }
      warn(`Auxiliary ${task}: ${errorMessage(last)}; all fallbacks exhausted.`);
      throw last;
    },
    async contextLength(task) {
      const settings = { ...defaultTask, ...options.tasks()[task] };
      const [first] = planFor(task, { messages: [] }, settings, options).ways;
      if (first === undefined) return undefined;
      const route = await openRoute(first, AbortSignal.timeout(settings.timeout * 1000)).catch(() => undefined);
      return route?.contextLength;
    },
  };
}

/** The conversation's own route, or a request for another one. */
type Way = 'main' | RouteRequest;

interface Plan {
  readonly ways: readonly Way[];
  /** Whether the next way is tried after this error. */
  readonly goesOn: (error: ModelError) => boolean;
}

/** Call, environment, configuration, and last what the task can do by itself. */
function planFor(task: SideTask, question: SideQuestion, settings: SideTaskSettings, options: SideModelsOptions): Plan {
  const variable = (name: string) => filled(options.env[`AUXILIARY_${task.toUpperCase()}_${name}`]);
  const baseUrl = variable('BASE_URL') ?? filled(settings.base_url);
  const provider = (variable('PROVIDER') ?? filled(settings.provider) ?? 'auto').toLowerCase();
  const model = question.model ?? variable('MODEL') ?? filled(settings.model);
  const chain: Way[] = fallbackRequests(settings.fallback_chain ?? []).map(mainOr);
  const named = model === undefined ? {} : { model };
  if (baseUrl !== undefined) {
    const apiKey =
      usableKey(variable('API_KEY') ?? filled(settings.api_key)) ?? usableKey(options.env['OPENAI_API_KEY']);
    const own = { provider: 'custom', baseUrl, ...named, ...(apiKey === undefined ? {} : { apiKey }) };
    return { ways: [own, ...chain, 'main'], goesOn: isOutOfCapacity };
  }
  if (provider === 'main') return { ways: [mainWith(options, named), ...chain], goesOn: isOutOfCapacity };
  if (provider !== 'auto') {
    const aux = providerCatalogue.find(({ id, aliases }) => id === provider || aliases.includes(provider))?.auxModel;
    const wanted = model ?? aux;
    const own = { provider, ...(wanted === undefined ? {} : { model: wanted }) };
    return { ways: [own, ...chain, 'main'], goesOn: isOutOfCapacity };
  }
  const ways = [mainWith(options, named), ...chain, ...fallbackRequests(options.fallbacks).map(mainOr)];
  const blind = task === 'vision' && options.main().vision === false;
  return { ways: [...(blind ? ways.slice(1) : ways), ...builtInChain(task, options)], goesOn: () => true };
}

function mainOr(request: RouteRequest): Way {
  return request.provider?.toLowerCase() === 'main' ? 'main' : request;
}

/** The conversation's provider, with another of its models when the task names one. */
function mainWith({ main }: SideModelsOptions, named: { readonly model?: string }): Way {
  if (named.model === undefined) return 'main';
  const { provider, baseUrl } = main();
  return { provider, ...(provider === 'custom' ? { baseUrl } : {}), model: named.model };
}

/** Providers that a key or a login may be there for, with their models for side tasks. */
function builtInChain(task: SideTask, { env, main, endpoints }: SideModelsOptions): RouteRequest[] {
  const order =
    task === 'vision'
      ? ['openrouter', 'nous', 'openai-codex', 'anthropic', 'custom']
      : ['openrouter', 'nous', 'custom', 'openai-codex', ...providerCatalogue.map(({ id }) => id)];
  return [...new Set(order)].flatMap((id) => {
    if (id === 'custom') return (endpoints?.() ?? []).filter(({ baseUrl }) => baseUrl !== main().baseUrl);
    const profile = providerCatalogue.find((entry) => entry.id === id);
    if (profile === undefined || id === main().provider) return [];
    const byKey = profile.auth === 'api_key' && profile.keyVariables.some((name) => usableKey(env[name]) !== undefined);
    const byLogin = profile.auth === 'oauth_device_code';
    const model = profile.auxModel ?? profile.defaultModel;
    return (byKey || byLogin) && model !== undefined ? [{ provider: id, model }] : [];
  });
}

/** Out of money or quota, or not there at all. A limit that passes by itself is no reason to leave a chosen model. */
function isOutOfCapacity({ kind, message }: ModelError): boolean {
  if (kind === 'billing' || kind === 'network') return true;
  return kind === 'rate_limit' && /\b(?:daily|per[- ]day|quota|plan|usage limit)\b/i.test(message);
}

async function askRoute(
  task: SideTask,
  question: SideQuestion,
  settings: SideTaskSettings,
  route: ModelRoute,
  signal: AbortSignal,
  { onUsage }: SideModelsOptions,
): Promise<SideAnswer> {
  const temperature = question.temperature ?? settings.temperature;
  const request = {
    model: route.model,
    messages: question.messages,
    tools: question.tools ?? [],
    stream: route.streaming,
    ...(question.maxTokens === undefined ? {} : { maxTokens: question.maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(settings.extra_body === undefined ? {} : { extraBody: settings.extra_body }),
  };
  let done: Extract<ModelEvent, { type: 'done' }> | undefined;
  for await (const event of route.protocol.stream(request, signal)) {
    if (event.type === 'spent') await onUsage?.(task, event.usage, event.on);
    if (event.type === 'done') done = event;
  }
  if (done === undefined) throw new ModelError('malformed', `${route.provider} ended its answer without a result`);
  await onUsage?.(task, done.usage ?? estimateUsage(request, done.message), done.answeredBy ?? route);
  return {
    text: splitThinking(done.message.content ?? '').text.trim(),
    toolCalls: done.message.tool_calls ?? [],
    ...(done.usage === undefined ? {} : { usage: done.usage }),
    provider: route.provider,
    model: route.model,
  };
}
