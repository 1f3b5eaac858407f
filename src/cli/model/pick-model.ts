/** Choosing a model: the provider's own list where it can be had, else what is known of it; any name may be typed. */
import { UserError } from '../../lib/errors.ts';
import { type ChosenProvider, configuredProvider, type RouteRequest } from '../../providers/choose-provider.ts';
import { listProviderModels } from '../../models/knowledge/list-models.ts';
import type { ProviderModels } from '../../llm/provider.ts';
import type { Choice } from './prompts.ts';
import { isPinned } from './pins.ts';
import type { ModelSetting } from './setting.ts';

export interface ModelChoice {
  readonly chosen: ChosenProvider;
  /** For the list, when it is not stored yet. */
  readonly key: string | undefined;
  /** Where the list is, when it was asked for just now. */
  readonly baseUrl?: string | undefined;
  readonly apiMode?: string | undefined;
  readonly message?: string;
  /** Chosen at the start. */
  readonly current?: string | undefined;
}

/** Main models only: a pinned one, or in a quick run one that is set, is not asked for. Throws `Cancelled`. */
export async function pickMainModel(setting: ModelSetting, asked: ModelChoice): Promise<string> {
  const { prompts, loaded, settings, options } = setting;
  const model = settings.default || settings.model || '';
  if (isPinned(loaded.managed, 'model.default') && model !== '') {
    prompts.say(`Model: ${model} (set by your administrator, ${loaded.managed.configPath})`);
    return model;
  }
  const same = configuredProvider(settings) === asked.chosen.id;
  if (options.onlyMissing === true && same && model !== '') return model;
  return await pickModel(setting, { ...asked, current: same ? model : undefined });
}

/** Throws `Cancelled`. */
export async function pickModel(setting: ModelSetting, asked: ModelChoice): Promise<string> {
  const { prompts, loaded } = setting;
  const { chosen, current = '', message = 'Which model?' } = asked;
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
    listModels(setting, asked),
  );
  const models = listed ?? (await knownModels(setting, chosen));
  if (listed === undefined)
    prompts.say('The list of models could not be fetched; the known ones are offered. Type any other name.');
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

/** Undefined when the list cannot be had, which the person is told. */
async function listModels(setting: ModelSetting, asked: ModelChoice): Promise<readonly string[] | undefined> {
  const { settings, credentials } = setting;
  const { chosen, key, baseUrl, apiMode } = asked;
  const request: RouteRequest = {
    provider: chosen.id,
    ...(key === undefined ? {} : { apiKey: key }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiMode === undefined ? {} : { apiMode }),
  };
  try {
    const { profile, ...endpoint } = await credentials.open(request, settings);
    const { apiMode: mode } = endpoint;
    const listing = mode === 'anthropic_messages' ? { ...profile, apiMode: mode } : profile;
    const listed = await listProviderModels({ ...endpoint, profile: listing });
    return listed === undefined || listed.length === 0 ? undefined : recommendedFirst(listed, profile);
  } catch (error) {
    // Without an address or a key there is nobody to ask.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

async function knownModels({ knowledge }: ModelSetting, { profile }: ChosenProvider): Promise<readonly string[]> {
  return [...new Set([...(profile.models ?? []), ...(await knowledge.models(profile.id))])];
}

function recommendedFirst(listed: readonly string[], { models = [] }: ProviderModels): readonly string[] {
  const recommended = models.filter((id) => listed.includes(id));
  return [...recommended, ...listed.filter((id) => !recommended.includes(id))];
}

function describe(id: string, { models = [] }: ProviderModels, current: string): Choice {
  const badges = [
    ...(id === current ? ['current'] : []),
    ...(models.includes(id) ? ['recommended'] : []),
    ...(id.endsWith(':free') ? ['free'] : []),
  ];
  return { value: id, label: badges.length === 0 ? id : `${id} (${badges.join(', ')})` };
}
