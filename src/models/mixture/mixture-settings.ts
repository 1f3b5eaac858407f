/** What makes up a mixture of models, as the configuration says it. */
import type { EffortWord } from '../../config/reasoning-effort.ts';
import { UserError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';

/** A model of a mixture; empty names stand in the {@link MixtureSlot} of its kind. */
export interface Member {
  readonly provider: string;
  readonly model: string;
  readonly reasoning_effort?: EffortWord | undefined;
}

/** `moa.presets.<name>` of the configuration. */
export interface MixturePreset {
  /** Off: the aggregator answers alone. */
  readonly enabled: boolean;
  readonly reference_models: readonly Member[];
  readonly aggregator?: Member | undefined;
  /** Absent: what each model does by itself; many take no other. */
  readonly reference_temperature?: number | undefined;
  readonly aggregator_temperature?: number | undefined;
  /** Tokens of one view. */
  readonly max_tokens: number;
  /** The same, where it is set. */
  readonly reference_max_tokens?: number | undefined;
  /** When the references are asked: whenever there are new words, or with each message of the user. Default: the former. */
  readonly fanout?: 'per_iteration' | 'user_turn' | undefined;
}

export interface MixtureSettings {
  readonly default_preset: string;
  readonly presets: Readonly<Record<string, MixturePreset>>;
}

/** `auxiliary.moa_reference` and `auxiliary.moa_aggregator`: what holds for every model of a kind; '' is not set. */
export interface MixtureSlot {
  /** Provider id; `auto` names none. */
  readonly provider: string;
  readonly model: string;
  readonly base_url: string;
  readonly api_key: string;
  /** Seconds: of a whole view, and until the aggregator begins to answer. */
  readonly timeout: number;
  readonly extra_body?: JsonObject | undefined;
}

/** A model to be opened. */
export interface MixedModel {
  readonly provider: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

/** Where nothing is configured, as in the original: a home may name it without describing it. */
const usual: Readonly<Record<string, MixturePreset>> = {
  default: {
    enabled: true,
    reference_models: [
      { provider: 'openai-codex', model: 'gpt-5.5' },
      { provider: 'openrouter', model: 'deepseek/deepseek-v4-pro' },
    ],
    aggregator: { provider: 'openrouter', model: 'anthropic/claude-opus-4.8' },
    max_tokens: 4096,
  },
};

/** The presets by their names: those that are configured, else the usual one. */
export function knownPresets({ presets }: Pick<MixtureSettings, 'presets'>): MixtureSettings['presets'] {
  return Object.keys(presets).length === 0 ? usual : presets;
}

/** The preset of this name, with the name; none named (`moa` names none): the default one, else the first. */
export function presetOf(
  name: string,
  settings: MixtureSettings,
): { readonly name: string; readonly preset: MixturePreset | undefined; readonly known: readonly string[] } {
  const presets = knownPresets(settings);
  const known = Object.keys(presets);
  const named = (wanted: string) => (Object.hasOwn(presets, wanted) ? wanted : undefined);
  const unnamed = name === '' || name === 'moa';
  const found = named(name) ?? (unnamed ? (named(settings.default_preset) ?? known[0]) : undefined) ?? name;
  return { name: found, preset: presets[found], known };
}

/** The names of all presets, and the one that is meant where none is named. */
export function mixturesOf(settings: MixtureSettings): { readonly names: readonly string[]; readonly usual: string } {
  const { name, known } = presetOf('', settings);
  return { names: known, usual: name };
}

/** Throws `UserError` for a member that cannot be a model. */
export function modelOf(preset: string, { provider, model }: Member, slot: MixtureSlot | undefined): MixedModel {
  const ofSlot = provider.trim() === '' ? slot : undefined;
  const named = provider.trim() || (['', 'auto', 'main'].includes(slot?.provider ?? '') ? '' : (slot?.provider ?? ''));
  const baseUrl = ofSlot?.base_url ?? '';
  const wanted = model.trim() || (slot?.model ?? '');
  if (named.toLowerCase() === 'moa') {
    throw new UserError(`The mixture '${preset}' names another mixture; its models must be models.`, {
      hint: `Correct moa.presets.${preset} in config.yaml.`,
    });
  }
  if (named === '' && baseUrl === '') {
    throw new UserError(`A model of the mixture '${preset}' names no provider.`, {
      hint: `Add it to moa.presets.${preset} in config.yaml.`,
    });
  }
  return {
    provider: named === '' ? 'custom' : named,
    ...(wanted === '' ? {} : { model: wanted }),
    ...(baseUrl === '' ? {} : { baseUrl }),
    ...(ofSlot === undefined || ofSlot.api_key === '' ? {} : { apiKey: ofSlot.api_key }),
  };
}

/** What is merged into requests of a kind. */
export function bodyWith(
  own: JsonObject | undefined,
  slot: MixtureSlot | undefined,
): { readonly extraBody?: JsonObject } {
  return slot?.extra_body === undefined ? {} : { extraBody: { ...own, ...slot.extra_body } };
}
