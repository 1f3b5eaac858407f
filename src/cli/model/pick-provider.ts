/** Choosing a provider from all that are known, the one in use first. */
import { filled } from '../../config/env-values.ts';
import { UserError } from '../../lib/errors.ts';
import {
  allProfiles,
  type ChosenProvider,
  configuredProvider,
  lookUpProvider,
} from '../../providers/choose-provider.ts';
import { savedProviders } from './provider-settings.ts';
import type { Choice } from './prompts.ts';
import { isPinned } from './pins.ts';
import type { ModelSetting } from './setting.ts';

/** What was picked: a provider, a new endpoint of one's own, or the models of side tasks. */
export type ProviderPick = ChosenProvider | 'new endpoint' | 'auxiliary';

const newEndpoint = 'new:endpoint';
const auxiliary = 'auxiliary:models';

/** A pinned provider is not asked for. Throws `Cancelled`, and `UserError` for a pinned one that is not known. */
export async function pickProvider(setting: ModelSetting): Promise<ProviderPick> {
  const { prompts, settings, loaded, options } = setting;
  const current = currentProvider(setting);
  if (isPinned(loaded.managed, 'model.provider')) {
    if (current === undefined) {
      throw new UserError(`The provider that your administrator set is not known here: ${settings.provider ?? ''}`);
    }
    prompts.say(`Provider: ${current.id} (set by your administrator, ${loaded.managed.configPath})`);
    return current;
  }
  if (options.provider !== undefined) return known(options.provider, settings);
  if (options.onlyMissing === true && current !== undefined) return current;
  const choices = [
    ...providerChoices(setting),
    { value: newEndpoint, label: 'New custom endpoint', hint: 'any OpenAI-compatible server: enter its URL' },
    ...(options.reset === undefined
      ? [{ value: auxiliary, label: 'Configure auxiliary models', hint: 'vision, titles, compression …' }]
      : []),
  ];
  const picked = await prompts.pick('Which provider?', choices);
  if (picked === newEndpoint) return 'new endpoint';
  if (picked === auxiliary) return 'auxiliary';
  return known(picked, settings);
}

function known(picked: string, settings: ModelSetting['settings']): ChosenProvider {
  const found = lookUpProvider(picked, settings);
  if (found === undefined) throw new UserError(`Unknown provider '${picked}'.`);
  return found;
}

/** The providers with their marks, the current one first. */
export function providerChoices(setting: Omit<ModelSetting, 'prompts'>): Choice[] {
  const { settings, credentials, loaded } = setting;
  const current = currentProvider(setting);
  const offered: ChosenProvider[] = [
    ...allProfiles(settings)
      // An endpoint without a name is offered while it is in use; new ones get a name.
      .filter(({ id }) => id !== 'custom' || current?.id === 'custom')
      .filter(({ id }) => id !== 'moa' || Object.keys(loaded.config.moa.presets).length > 0)
      .map((profile) => ({ id: profile.id, profile })),
    ...savedProviders(settings),
  ];
  const first = offered.filter(({ id }) => id === current?.id);
  return [...first, ...offered.filter(({ id }) => id !== current?.id)].map(({ id, profile, saved }) => {
    const marks = [
      ...(id === current?.id ? ['current'] : []),
      ...(credentials.of(id).length > 0 ? ['configured'] : []),
    ];
    const detail = saved === undefined ? profile.description : saved.base_url;
    return {
      value: id,
      label: `${saved?.name ?? profile.name ?? id}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`,
      hint: [saved === undefined ? id : undefined, detail].filter((part) => part !== undefined).join(': '),
    };
  });
}

/** What the configuration names, as far as it is known. */
function currentProvider({ settings }: Pick<ModelSetting, 'settings'>): ChosenProvider | undefined {
  const id = configuredProvider(settings);
  if (id === undefined || id === 'none') return undefined;
  return filled(settings.base_url) !== undefined || filled(settings.provider) !== undefined
    ? lookUpProvider(id, settings)
    : undefined;
}
