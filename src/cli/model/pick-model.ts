/** Choosing a model: the provider's own list where it can be had, else what is known of it; any name may be typed. */
import { type ChosenProvider, configuredProvider } from '../../providers/choose-provider.ts';
import { addressOf } from '../../providers/endpoint-address.ts';
import { listProviderModels } from '../../models/knowledge/list-models.ts';
import type { ProviderProfile } from '../../llm/provider.ts';
import { keyHeader } from './key-header.ts';
import type { Choice } from './prompts.ts';
import { isPinned } from './pins.ts';
import type { ModelSetting } from './setting.ts';

export interface ModelQuestion {
  readonly chosen: ChosenProvider;
  /** For the list. */
  readonly key: string | undefined;
  /** Where the list is, when it was asked for just now. */
  readonly baseUrl?: string | undefined;
  readonly apiMode?: string | undefined;
  readonly message?: string;
  /** Chosen at the start. */
  readonly current?: string | undefined;
}

/** Main models only: a pinned one, or in a quick run one that is set, is not asked for. Throws `Cancelled`. */
export async function pickMainModel(setting: ModelSetting, question: ModelQuestion): Promise<string> {
  const { prompts, loaded, settings, options } = setting;
  const model = settings.default || settings.model || '';
  if (isPinned(loaded.managed, 'model.default') && model !== '') {
    prompts.say(`Model: ${model} (set by your administrator, ${loaded.managed.configPath})`);
    return model;
  }
  const same = configuredProvider(settings) === question.chosen.id;
  if (options.onlyMissing === true && same && model !== '') return model;
  return await pickModel(setting, { ...question, current: same ? model : undefined });
}

/** Throws `Cancelled`. */
export async function pickModel(setting: ModelSetting, question: ModelQuestion): Promise<string> {
  const { prompts, loaded } = setting;
  const { chosen, current = '', message = 'Which model?' } = question;
  const { profile } = chosen;
  if (profile.id === 'moa') {
    const presets = Object.keys(loaded.config.moa.presets);
    return await prompts.select(
      'Which mixture?',
      presets.map((name) => ({ value: name, label: name })),
    );
  }
  if (profile.inProcess !== undefined) return profile.defaultModel ?? profile.id;
  const listed = await prompts.wait(
    `Asking ${chosen.saved?.name ?? profile.name ?? chosen.id} for its models …`,
    listModels(setting, question),
  );
  const models = listed ?? (await knownModels(setting, chosen));
  if (listed === undefined)
    prompts.say('The list of models could not be had; what is known is offered. Type any other name.');
  const first = current === '' || models.includes(current) ? [] : [current];
  const choices = [...first, ...models].map((id) => describe(id, profile, current));
  if (choices.length === 0) {
    return await prompts.text({
      message,
      placeholder: 'the name that the server knows it by',
      check: (answer) => (answer === '' ? 'Please name a model, or press Ctrl+C to stop.' : undefined),
    });
  }
  const preferred = current === '' ? (profile.defaultModel ?? '') : current;
  return await prompts.pick(message, choices, {
    freeText: (typed) => `Use "${typed}"`,
    ...(choices.some(({ value }) => value === preferred) ? { initial: preferred } : {}),
  });
}

/** Undefined when the list cannot be had. */
async function listModels(setting: ModelSetting, question: ModelQuestion): Promise<readonly string[] | undefined> {
  const { chosen, key, apiMode } = question;
  const { profile } = chosen;
  const baseUrl = question.baseUrl ?? addressFor(setting, chosen, key);
  if (baseUrl === undefined) return undefined;
  const mode = apiMode ?? chosen.saved?.api_mode ?? profile.apiMode;
  const listed = await listProviderModels({
    profile: mode === 'anthropic_messages' ? { ...profile, apiMode: mode } : profile,
    baseUrl,
    headers: { ...profile.headers, ...(key === undefined ? {} : keyHeader(profile, mode, key)) },
  });
  return listed === undefined || listed.length === 0 ? undefined : recommendedFirst(listed, profile);
}

function addressFor(
  { settings, context }: ModelSetting,
  chosen: ChosenProvider,
  key: string | undefined,
): string | undefined {
  try {
    const own = configuredProvider(settings) === chosen.id ? settings : {};
    const address = addressOf(chosen, { provider: chosen.id }, own, settings, context.env);
    const byKey = chosen.profile.baseUrlByKey?.find(({ prefix }) => key?.startsWith(prefix) === true);
    return address.isDefault && byKey !== undefined ? byKey.baseUrl : address.baseUrl;
  } catch {
    // Without an address there is nobody to ask.
    return undefined;
  }
}

async function knownModels({ knowledge }: ModelSetting, { profile }: ChosenProvider): Promise<readonly string[]> {
  return [...new Set([...(profile.models ?? []), ...(await knowledge.models(profile.id))])];
}

function recommendedFirst(listed: readonly string[], { models = [] }: ProviderProfile): readonly string[] {
  const recommended = models.filter((id) => listed.includes(id));
  return [...recommended, ...listed.filter((id) => !recommended.includes(id))];
}

function describe(id: string, { models = [] }: ProviderProfile, current: string): Choice {
  const badges = [
    ...(id === current ? ['current'] : []),
    ...(models.includes(id) ? ['recommended'] : []),
    ...(id.endsWith(':free') ? ['free'] : []),
  ];
  return { value: id, label: badges.length === 0 ? id : `${id} (${badges.join(', ')})` };
}
