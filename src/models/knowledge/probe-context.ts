/** Asks a server how long the window of a model is, in the way of each kind of server. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { Fetch } from '../../lib/fetch-over.ts';
import { type Log, noLog } from '../../lib/log.ts';
import type { Authorizer } from '../../llm/authorizer.ts';
import { hostMatches, isLocalHost } from '../../llm/endpoint.ts';
import { unloadedWindow } from '../context-lengths.ts';
import { minimumContext } from './context-tiers.ts';
import { getJson } from './get-json.ts';
import type { LearnedLengths } from './learned-lengths.ts';
import { toWindow } from './learned-limit.ts';
import { entriesOf, listedWindow, namesOf, windowIn } from './listed-window.ts';

export { learnedLimit } from './learned-limit.ts';

export interface ProbedEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly authorizer?: Authorizer;
  readonly fetch?: Fetch | undefined;
}

export interface ProbeRequest extends ProbedEndpoint {
  readonly log?: Log | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ContextProbeOptions {
  /** Where the windows of local servers are kept. */
  readonly learned?: LearnedLengths;
  readonly clock: { now(): number };
  readonly log?: Log | undefined;
}

type Ask = (url: string, body?: JsonValue) => Promise<JsonValue | undefined>;
type Read = (ask: Ask, root: string, model: string) => Promise<number | undefined>;

const timeoutMs = 3000;
const maxBytes = 8 * 1024 * 1024;
const heldMs = 5 * 60_000;
const maxHeld = 200;

/** Probing with a memory of five minutes. What a local server says, and an agent can work in, is kept on disk as well. */
export class ContextProbe {
  readonly #options: ContextProbeOptions;
  readonly #held = new Map<string, { readonly tokens: number; readonly at: number }>();

  constructor(options: ContextProbeOptions) {
    this.#options = options;
  }

  async ask(endpoint: ProbedEndpoint, signal: AbortSignal | undefined): Promise<number | undefined> {
    const { clock, log } = this.#options;
    const key = `${endpoint.model}@${endpoint.baseUrl}`;
    const known = this.#held.get(key);
    if (known !== undefined && Math.abs(clock.now() - known.at) < heldMs) return known.tokens;
    const tokens = await probeContextLength({ ...endpoint, signal, log });
    if (tokens === undefined) return undefined;
    this.#held.delete(key);
    this.#held.set(key, { tokens, at: clock.now() });
    const [oldest] = this.#held.keys();
    if (this.#held.size > maxHeld && oldest !== undefined) this.#held.delete(oldest);
    // A window that is too small is a setting that its owner is about to change.
    if (isLocalUrl(endpoint.baseUrl) && tokens >= minimumContext) await this.#keep(endpoint, tokens);
    return tokens;
  }

  /** A disk that cannot be written to is no reason to refuse the model. */
  async #keep({ model, baseUrl }: ProbedEndpoint, tokens: number): Promise<void> {
    const { learned, log = noLog } = this.#options;
    try {
      await learned?.set(model, baseUrl, tokens);
    } catch (error) {
      log.info(`the window of ${model} is found out again next time`, error);
    }
  }
}

/**
 * Tokens of the window: of a local server as it is loaded, of others as their list of models says; undefined when the
 * server does not say, or not within three seconds. Never throws.
 */
export async function probeContextLength(probe: ProbeRequest): Promise<number | undefined> {
  const { model, authorizer, signal, fetch, log = noLog } = probe;
  const baseUrl = probe.baseUrl.trim().replace(/\/+$/, '');
  const hostname = URL.parse(baseUrl)?.hostname;
  if (hostname === undefined) return undefined;
  // Whoever has answered first in order of rank ends the other requests.
  const done = new AbortController();
  const whole = signal === undefined ? done.signal : AbortSignal.any([signal, done.signal]);
  let headers: Readonly<Record<string, string>> | undefined;
  try {
    headers = await authorizer?.headers(whole);
  } catch (error) {
    log.info(`${hostname} is not asked for the window of ${model}`, error);
    return undefined;
  }
  const ask: Ask = (url, body) =>
    getJson(url, {
      headers: headers ?? {},
      signal: whole,
      timeoutMs,
      maxBytes,
      fetch,
      ...(body === undefined ? {} : { body }),
    });
  const root = baseUrl.replace(/\/(?:api\/)?v\d+$/, '');
  const reads = isLocalHost(hostname) ? [lmStudio, ollama, llamaCpp] : [];
  try {
    // All at once: a server that hangs costs three seconds, not three for every kind.
    const answers = [...reads.map((read) => read(ask, root, model)), fromList(ask, baseUrl, root, model)];
    for (const answer of answers) {
      const tokens = await answer;
      if (tokens !== undefined) return tokens;
    }
    return undefined;
  } finally {
    done.abort();
  }
}

/** The loaded instance counts, then what the model will be loaded with. */
const lmStudio: Read = async (ask, root, model) => {
  const [current, older] = await Promise.all([ask(`${root}/api/v1/models`), ask(`${root}/api/v0/models`)]);
  const entry = entriesOf(current).find((candidate) => 'key' in candidate && isNamed(candidate, model));
  const instances = entry?.['loaded_instances'];
  const loaded = Array.isArray(instances) ? instances.find((instance) => isJsonObject(instance)) : undefined;
  const config = isJsonObject(loaded) ? loaded['config'] : undefined;
  const running = isJsonObject(config) ? toWindow(config['context_length']) : undefined;
  if (entry !== undefined) return running ?? atMost(unloadedWindow, toWindow(entry['max_context_length']));
  const old = entriesOf(older).find((candidate) => 'max_context_length' in candidate && isNamed(candidate, model));
  return toWindow(old?.['loaded_context_length']) ?? toWindow(old?.['max_context_length']);
};

function atMost(bound: number, tokens: number | undefined): number | undefined {
  return tokens === undefined ? undefined : Math.min(bound, tokens);
}

/** What its owner set counts, then what the model was made for. */
const ollama: Read = async (ask, root, model) => {
  const tags = await ask(`${root}/api/tags`);
  if (!isJsonObject(tags) || !Array.isArray(tags['models'])) return undefined;
  // Older versions know the model as `name`, newer ones as `model`.
  const shown = await ask(`${root}/api/show`, { name: model, model });
  if (!isJsonObject(shown)) return undefined;
  const parameters = shown['parameters'];
  const configured = typeof parameters === 'string' ? /^\s*num_ctx\s+(\d+)\s*$/m.exec(parameters)?.[1] : undefined;
  const info = shown['model_info'];
  const trained = isJsonObject(info)
    ? Object.entries(info).find(([key]) => key.endsWith('.context_length'))
    : undefined;
  return toWindow(configured) ?? toWindow(trained?.[1]);
};

/** What it was started with; its list of models knows only what the model was made for. */
const llamaCpp: Read = async (ask, root) => {
  const answers = await Promise.all([ask(`${root}/v1/props`), ask(`${root}/props`)]);
  for (const props of answers) {
    const settings = isJsonObject(props) ? props['default_generation_settings'] : undefined;
    if (!isJsonObject(props) || !isJsonObject(settings)) continue;
    return toWindow(settings['n_ctx']) ?? toWindow(props['n_ctx']);
  }
  return undefined;
};

/** vLLM (`max_model_len`), OpenRouter (`context_length`), Anthropic (`max_input_tokens`) and whoever does likewise. */
async function fromList(ask: Ask, baseUrl: string, root: string, model: string): Promise<number | undefined> {
  const isAnthropic = hostMatches(URL.parse(baseUrl)?.hostname ?? '', 'anthropic.com');
  if (isAnthropic) return exactWindow(await ask(`${root}/v1/models?limit=1000`), model);
  const other = baseUrl === root ? `${root}/v1` : root;
  const [first, second] = await Promise.all([ask(`${baseUrl}/models`), ask(`${other}/models`)]);
  return listedWindow(first, model) ?? listedWindow(second, model);
}

/** The names of one maker's models hold one another (`claude-opus-4`, `claude-opus-4-6`), so only the same one counts. */
function exactWindow(answer: JsonValue | undefined, model: string): number | undefined {
  const entry = entriesOf(answer).find((candidate) => namesOf(candidate).includes(model));
  return entry === undefined ? undefined : windowIn(entry);
}

/** By its whole name or what stands behind the last slash. */
function isNamed(entry: JsonObject, model: string): boolean {
  const last = (name: string) => name.slice(name.lastIndexOf('/') + 1);
  return namesOf(entry).some((name) => name === model || last(name) === last(model));
}

function isLocalUrl(url: string): boolean {
  return isLocalHost(URL.parse(url)?.hostname ?? '');
}
