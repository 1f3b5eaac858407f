/** Asks a server how long the window of a model is, in the way of each kind of server. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { hostMatches, isLocalHost, noKeyRequired } from '../../llm/endpoint.ts';
import { minimumContext } from './context-tiers.ts';
import { getJson } from './get-json.ts';
import type { LearnedLengths } from './learned-lengths.ts';
import { toWindow } from './learned-limit.ts';
import { entriesOf, listedWindow, namesOf, windowIn } from './listed-window.ts';

export { learnedLimit } from './learned-limit.ts';

export interface ProbedEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
}

export interface ProbeQuestion extends ProbedEndpoint {
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export interface ContextProbeOptions {
  /** Where the windows of local servers are kept. */
  readonly learned?: LearnedLengths;
  readonly clock: { now(): number };
  readonly fetch?: typeof fetch;
}

type Ask = (url: string, body?: JsonValue) => Promise<JsonValue | undefined>;
type Read = (ask: Ask, root: string, model: string) => Promise<number | undefined>;

const timeoutMs = 3000;
const maxBytes = 8 * 1024 * 1024;
const heldMs = 5 * 60_000;
const mostHeld = 200;

/** Probing with a memory of five minutes. What a local server says, and an agent can work in, is kept on disk as well. */
export function createContextProbe({
  learned,
  clock,
  fetch,
}: ContextProbeOptions): (endpoint: ProbedEndpoint, signal: AbortSignal | undefined) => Promise<number | undefined> {
  const held = new Map<string, { readonly tokens: number; readonly at: number }>();
  return async (endpoint, signal) => {
    const key = `${endpoint.model}@${endpoint.baseUrl}`;
    const known = held.get(key);
    if (known !== undefined && Math.abs(clock.now() - known.at) < heldMs) return known.tokens;
    const tokens = await probeContextLength({ ...endpoint, signal, fetch });
    if (tokens === undefined) return undefined;
    held.delete(key);
    held.set(key, { tokens, at: clock.now() });
    const [oldest] = held.keys();
    if (held.size > mostHeld && oldest !== undefined) held.delete(oldest);
    // A window that is too small is a setting that its owner is about to change.
    if (isLocalUrl(endpoint.baseUrl) && tokens >= minimumContext) await keep(learned, endpoint, tokens);
    return tokens;
  };
}

/**
 * Tokens of the window: of a local server as it is loaded, of others as their list of models says; undefined when the
 * server does not say, or not within three seconds. Never throws.
 */
export async function probeContextLength(question: ProbeQuestion): Promise<number | undefined> {
  const { model, apiKey, signal, fetch } = question;
  const baseUrl = question.baseUrl.trim().replace(/\/+$/, '');
  const hostname = URL.parse(baseUrl)?.hostname;
  if (hostname === undefined) return undefined;
  const headers = headersFor(hostname, apiKey);
  if (headers === undefined) return undefined;
  // Whoever has answered first in order of rank ends the other questions.
  const done = new AbortController();
  const whole = signal === undefined ? done.signal : AbortSignal.any([signal, done.signal]);
  const ask: Ask = (url, body) =>
    getJson(url, { headers, signal: whole, timeoutMs, maxBytes, fetch, ...(body === undefined ? {} : { body }) });
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

/** Undefined when the key is of a kind that may not ask. */
function headersFor(hostname: string, apiKey: string | undefined): Record<string, string> | undefined {
  if (hostMatches(hostname, 'anthropic.com')) {
    if (apiKey === undefined || apiKey.startsWith('sk-ant-oat')) return undefined;
    return { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' };
  }
  return apiKey === undefined || apiKey === noKeyRequired ? {} : { authorization: `Bearer ${apiKey}` };
}

/** The loaded instance counts, then what the model could take. */
const lmStudio: Read = async (ask, root, model) => {
  const [current, older] = await Promise.all([ask(`${root}/api/v1/models`), ask(`${root}/api/v0/models`)]);
  const entry = entriesOf(current).find((candidate) => 'key' in candidate && isNamed(candidate, model));
  const instances = entry?.['loaded_instances'];
  const loaded = Array.isArray(instances) ? instances.find((instance) => isJsonObject(instance)) : undefined;
  const config = isJsonObject(loaded) ? loaded['config'] : undefined;
  const running = isJsonObject(config) ? toWindow(config['context_length']) : undefined;
  if (entry !== undefined) return running ?? toWindow(entry['max_context_length']);
  const old = entriesOf(older).find((candidate) => 'max_context_length' in candidate && isNamed(candidate, model));
  return toWindow(old?.['loaded_context_length']) ?? toWindow(old?.['max_context_length']);
};

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

/** A disk that cannot be written to is no reason to refuse the model. */
async function keep(learned: LearnedLengths | undefined, { model, baseUrl }: ProbedEndpoint, tokens: number) {
  try {
    await learned?.set(model, baseUrl, tokens);
  } catch {
    // It is found out again next time.
  }
}
