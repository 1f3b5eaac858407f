/** The forms in which a person names a model: `name`, `provider:name`, `custom:name`, `custom:<saved>:name`, an alias. */
import { UserError } from '../lib/errors.ts';
import { filled } from '../config/env-values.ts';
import { findProfile, lookUpProvider, type RouteRequest, savedProvider, splitOnce } from './choose-provider.ts';
import type { ModelSettings } from './model-settings.ts';
import type { ModelRoute } from '../llm/protocol.ts';

/**
 * The request that `/model <spec>` stands for, seen from the route that is in use: a bare name stays on its provider.
 * A colon splits behind the name of a provider; `qwen:7b` and `a/b:free` are models with a tag. Throws `UserError`
 * when `spec` is empty or names a provider that is not known.
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
  if (rest !== undefined && rest !== '' && !isTagged(prefix, rest)) {
    const provider = lookUpProvider(prefix, settings);
    if (provider === undefined) throw unknownPrefix(prefix, text);
    return { provider: provider.id, model: rest };
  }
  const provider = lookUpProvider(text, settings);
  if (provider !== undefined) return { provider: provider.id, ownModel: true };
  return bareName(text, current, settings);
}

/** Sizes, quantizations and versions behind a colon are part of a model's name, as is anything behind `maker/name`. */
function isTagged(name: string, tag: string): boolean {
  if (name.includes('/')) return true;
  return /^(?:latest|cloud|v?\d[\d.]*|e?\d+(?:\.\d+)?[bmk](?:[-_].*)?|i?q\d.*|fp?\d+|bf16|.*(?:instruct|chat|text|-cloud|-it)\b.*)$/i.test(
    tag,
  );
}

function unknownPrefix(prefix: string, text: string): UserError {
  return new UserError(`Unknown provider '${prefix}'; the model was not changed.`, {
    hint: `See what there is with \`hermes model\`; for a model that is really called '${text}' use custom:${text}.`,
  });
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
  if (rest === undefined || rest.trim() === '') return { provider: 'custom', ownModel: true };
  const whole = savedProvider(rest, settings);
  if (whole !== undefined) return { provider: whole.id, ownModel: true };
  const [name, model] = splitOnce(rest, ':');
  const saved = model === undefined || model === '' ? undefined : savedProvider(name, settings);
  return saved === undefined || model === undefined
    ? { provider: 'custom', model: rest }
    : { provider: saved.id, model };
}

/** A name with a slash is OpenRouter's way to name a model, and means nothing to OpenAI's own API. */
function bareName(
  model: string,
  current: Pick<ModelRoute, 'provider' | 'baseUrl'>,
  settings: ModelSettings,
): RouteRequest {
  if (current.provider === 'custom') return { provider: 'custom', baseUrl: current.baseUrl, model };
  const profile = findProfile(current.provider, settings);
  if (profile?.plainModelNames === true && model.includes('/')) return { provider: 'openrouter', model };
  if (profile?.apiMode === 'in_process') return { model };
  return { provider: current.provider, model };
}
