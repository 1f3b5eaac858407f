/** The forms in which a person names a model: `name`, `provider:name`, `custom:name`, `custom:<saved>:name`, an alias. */
import { UserError } from '../lib/errors.ts';
import { filled, lookUpProvider, type RouteRequest, savedProvider, splitOnce } from './choose-provider.ts';
import type { ModelSettings } from './model-settings.ts';
import type { ModelRoute } from './protocol.ts';
import { findProvider } from './providers/catalogue.ts';

/**
 * The request that `/model <spec>` stands for, seen from the route that is in use: a bare name stays on its provider.
 * A colon splits only behind the name of a provider, so `qwen:7b` is a model. Throws `UserError` when `spec` is empty.
 */
export function parseModelSpec(
  spec: string,
  current: Pick<ModelRoute, 'provider' | 'model' | 'baseUrl'>,
  settings: ModelSettings,
): RouteRequest {
  const text = spec.trim();
  if (text === '')
    throw new UserError('no model was named', {
      exitCode: 2,
      hint: 'Use `/model <name>` or `/model <provider>:<name>`.',
    });
  const alias = findAlias(text, settings);
  if (alias !== undefined) return alias;
  const [prefix, rest] = splitOnce(text, ':');
  if (prefix.toLowerCase() === 'custom') return customSpec(rest, settings);
  if (rest !== undefined && rest !== '') {
    const provider = lookUpProvider(prefix, settings);
    if (provider !== undefined) return { provider: provider.id, model: rest };
  }
  const provider = lookUpProvider(text, settings);
  if (provider !== undefined) return { provider: provider.id };
  return bareName(text, current);
}

/** The request behind an alias; `model_aliases` beats `model.aliases`. Upper and lower case are the same. */
export function findAlias(name: string, settings: ModelSettings): RouteRequest | undefined {
  const wanted = name.trim().toLowerCase();
  const matches = ([key]: readonly [string, unknown]) => key.toLowerCase() === wanted;
  const full = Object.entries(settings.model_aliases ?? {}).find(matches)?.[1];
  if (full !== undefined && full.model !== '') {
    const provider = filled(full.provider);
    const baseUrl = filled(full.base_url);
    return {
      model: full.model,
      ...(provider === undefined ? {} : { provider }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    };
  }
  const short = filled(Object.entries(settings.aliases ?? {}).find(matches)?.[1]);
  if (short === undefined) return undefined;
  const [prefix, model] = splitOnce(short, '/');
  const provider = model === undefined || model === '' ? undefined : lookUpProvider(prefix, settings);
  return provider === undefined || model === undefined ? { model: short } : { provider: provider.id, model };
}

function customSpec(rest: string | undefined, settings: ModelSettings): RouteRequest {
  if (rest === undefined || rest.trim() === '') return { provider: 'custom' };
  const whole = savedProvider(rest, settings);
  if (whole !== undefined) return { provider: whole.id };
  const [name, model] = splitOnce(rest, ':');
  const saved = model === undefined || model === '' ? undefined : savedProvider(name, settings);
  return saved === undefined || model === undefined
    ? { provider: 'custom', model: rest }
    : { provider: saved.id, model };
}

/** A name with a slash is OpenRouter's way to name a model, and means nothing to OpenAI. */
function bareName(model: string, current: Pick<ModelRoute, 'provider' | 'baseUrl'>): RouteRequest {
  if (current.provider === 'custom') return { provider: 'custom', baseUrl: current.baseUrl, model };
  if (current.provider === 'openai-api' && model.includes('/')) return { provider: 'openrouter', model };
  if (findProvider(current.provider)?.apiMode === 'in_process') return { model };
  return { provider: current.provider, model };
}
