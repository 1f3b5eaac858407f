/** Configuration: the model, its providers and the routing between them. */
import * as z from 'zod';
import { effortField } from '../reasoning-effort.ts';
import {
  anyMap,
  bool,
  choice,
  int,
  list,
  listOf,
  mapOf,
  nested,
  number,
  optionalBool,
  optionalChoice,
  optionalInt,
  optionalList,
  optionalNumber,
  optionalText,
  section,
  text,
  textMap,
} from './fields.ts';

export const API_MODES = [
  'chat_completions',
  'codex_responses',
  'anthropic_messages',
  'bedrock_converse',
  'ollama_chat',
  'auto',
] as const;

const modelEntry = () =>
  z.looseObject({
    context_length: optionalInt('Context window in tokens'),
    supports_vision: optionalBool('The model takes images'),
    max_tokens: optionalInt('Longest answer in tokens'),
    timeout_seconds: optionalNumber('Request timeout of this model'),
    stale_timeout_seconds: optionalNumber('Silence after which a stream of this model is given up'),
  });

const model = () =>
  section({
    default: text('', 'Model id; empty means not configured'),
    provider: text('auto', 'Provider id, or `custom[:name]`'),
    base_url: text('', 'Endpoint that replaces the one of the provider'),
    api_key: text('', 'Key for the endpoint'),
    key_env: text('', 'Name of the variable that holds the key'),
    api_mode: optionalChoice(API_MODES, 'Wire protocol; detected when absent'),
    context_length: optionalInt('Context window in tokens; detected when absent'),
    max_tokens: optionalInt('Longest answer in tokens'),
    supports_vision: optionalBool('The model takes images; detected when absent'),
    persist_switch_by_default: bool(false, '`/model NAME` in a chat is kept for later ones too'),
    openai_runtime: text('auto', 'Runtime for OpenAI models: auto or codex_app_server'),
    auth_mode: text('', 'Azure: entra_id instead of a key'),
    entra: nested({ scope: text('', 'Azure: token scope') }, 'Azure Entra').prefault({}),
    aliases: mapOf(z.string(), 'Short names: `provider/model`'),
  });

const model_aliases = () =>
  mapOf(
    z.object({
      model: text('', 'Model id'),
      provider: text('', 'Provider id'),
      base_url: text('', 'Endpoint'),
    }),
    'Short names for `/model`',
  );

const fallback_providers = () =>
  listOf(
    z.looseObject({
      provider: text('', 'Provider id'),
      model: text('', 'Model id'),
      base_url: optionalText('Endpoint'),
      api_key: optionalText('Key'),
      key_env: optionalText('Name of the variable that holds the key'),
      api_mode: optionalChoice(API_MODES, 'Wire protocol'),
    }),
    'Tried in order when the main model fails',
  );

/** Settings of single models; a list names models without settings. */
const modelEntries = () =>
  z
    .preprocess(
      (value) => (Array.isArray(value) ? Object.fromEntries(value.map((id) => [String(id), {}])) : value),
      z.record(z.string(), modelEntry()),
    )
    .default({});

const endpoint = () => ({
  api_key: optionalText('Key'),
  key_env: optionalText('Name of the variable that holds the key'),
  api_mode: optionalChoice(API_MODES, 'Wire protocol'),
  model: optionalText('Default model'),
  context_length: optionalInt('Context window of its models in tokens'),
  extra_body: anyMap('Merged into every chat request'),
  extra_headers: textMap('Sent with every request'),
  ssl_ca_cert: optionalText('File of certificate authorities that are trusted too'),
  ssl_verify: z.union([z.boolean(), z.string()]).default(true).describe('false: any certificate; or such a file'),
  models: modelEntries(),
});

const providers = () =>
  mapOf(
    z.looseObject({
      ...endpoint(),
      request_timeout_seconds: optionalNumber('Whole request'),
      stale_timeout_seconds: optionalNumber('Silence after which a stream is given up'),
      enabled: bool(true, 'false: the endpoint is not used'),
      name: optionalText('Name of an endpoint of your own; the key of the entry when absent'),
      api: optionalText('Address, which makes the entry an endpoint of your own'),
      url: optionalText('Synonym of api'),
      base_url: optionalText('Synonym of api'),
      api_key_env: optionalText('Synonym of key_env'),
      default_model: optionalText('Default model'),
      transport: optionalChoice([...API_MODES, 'openai_chat'], 'Synonym of api_mode'),
    }),
    'Endpoints of your own, and timeouts per provider',
  );

const custom_providers = () =>
  listOf(
    z.looseObject({
      name: text('', 'Name used as `custom:<name>`'),
      base_url: text('', 'Endpoint'),
      ...endpoint(),
    }),
    'Saved endpoints',
  );

const provider_routing = () =>
  section({
    sort: optionalChoice(['price', 'throughput', 'latency'], 'OpenRouter: order of preference'),
    only: list('OpenRouter: use only these'),
    ignore: list('OpenRouter: never use these'),
    order: list('OpenRouter: try in this order'),
    require_parameters: optionalBool('OpenRouter: only providers that take every parameter'),
    data_collection: optionalChoice(['allow', 'deny'], 'OpenRouter: providers that store data'),
  });

const openrouter = () =>
  section({
    min_coding_score: number(0.65, 'Pareto router: lowest coding score'),
    response_cache: optionalBool('Cache responses at OpenRouter'),
    response_cache_ttl: optionalInt('Seconds a cached response lives', { min: 1, max: 86_400 }),
  });

const credential_pool_strategies = () =>
  mapOf(
    choice(['fill_first', 'round_robin', 'least_used', 'random'], 'fill_first', 'Which key is taken'),
    'Strategy per provider',
  );

const model_catalog = () =>
  section({
    enabled: bool(true, 'Fetch the list of models'),
    url: text('', 'Where from; the project list when empty'),
    ttl_hours: number(1, 'Hours a fetched list is used'),
    providers: anyMap('Overrides per provider'),
  });

const prompt_caching = () =>
  section({
    // Anything else means 5m and is not worth a warning.
    cache_ttl: z
      .preprocess((value) => (value === '1h' ? '1h' : '5m'), z.enum(['5m', '1h']))
      .default('5m')
      .describe('Life of a cached prefix: 5m or 1h'),
  });

const smart_model_routing = () =>
  section({
    enabled: bool(false, 'Send simple messages to a cheap model'),
    max_simple_chars: int(160, 'Longest simple message in characters'),
    max_simple_words: int(28, 'Longest simple message in words'),
    cheap_model: anyMap('The cheap model'),
  });

const route = () => z.looseObject({ provider: text('', 'Provider id'), model: text('', 'Model id') });

/** A model of a mixture; what is left out stands under `auxiliary.moa_reference` or `auxiliary.moa_aggregator`. */
const mixed = () =>
  route().extend({ reasoning_effort: effortField('How hard it thinks; empty leaves it to the provider') });

const moa = () =>
  section({
    default_preset: text('default', 'Preset used when none is named; the first when there is none of this name'),
    presets: mapOf(
      z.object({
        enabled: bool(true, 'Off: the aggregator answers alone'),
        reference_models: listOf(mixed(), 'Models asked first'),
        aggregator: mixed().optional().describe('Model that writes the answer'),
        reference_temperature: optionalNumber('Temperature of the references; their own when absent'),
        aggregator_temperature: optionalNumber('Temperature of the aggregator; its own when absent'),
        max_tokens: int(4096, 'Longest reference answer'),
        reference_max_tokens: optionalInt('Longest reference answer, in the place of max_tokens'),
        fanout: choice(
          ['per_iteration', 'user_turn'],
          'per_iteration',
          'When the references are asked: whenever something new was said, or once for each message of the user',
        ),
      }),
      'Mixtures of models',
    ),
    active_preset: text('', 'Preset that `hermes moa` shows as active; the original keeps it, and nothing reads it'),
    save_traces: bool(false, 'Keep what each model of a mixture was sent and said, as a file for each session'),
    trace_dir: text('', 'Where; empty means moa-traces in the home'),
  });

const bedrock = () =>
  section({
    region: text('', 'AWS region'),
    profile: text('', 'AWS profile'),
    discovery: nested(
      {
        enabled: optionalBool('List the models of the account'),
        provider_filter: optionalList('Only these model providers'),
        refresh_interval: int(3600, 'Seconds between two listings'),
      },
      'Model discovery',
    ).prefault({}),
    guardrail: nested(
      {
        guardrail_identifier: text('', 'Guardrail id'),
        guardrail_version: text('', 'Guardrail version'),
        stream_processing_mode: choice(
          ['', 'sync', 'async'],
          '',
          'Whether a stream waits for it; empty leaves it to AWS',
        ),
        trace: choice(
          ['', 'enabled', 'disabled', 'enabled_full'],
          '',
          'What AWS tells of its work; empty leaves it to AWS',
        ),
      },
      'Guardrail',
    ).prefault({}),
  });

const vertex = () =>
  section({
    project_id: text('', 'Google Cloud project; that of the environment or of the account when empty'),
    region: text('', 'Google Cloud location; that of the environment when empty, else global'),
  });

/** Top-level keys of this file. */
export const modelSections = {
  model,
  model_aliases,
  fallback_providers,
  providers,
  custom_providers,
  provider_routing,
  openrouter,
  credential_pool_strategies,
  model_catalog,
  prompt_caching,
  smart_model_routing,
  moa,
  bedrock,
  vertex,
};
