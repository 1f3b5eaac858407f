/** A server of one's own: its address, key, model, window and wire format, saved as an entry of `custom_providers` or `providers`. */
import { modelChanges } from '../../config/model-changes.ts';
import type { Change } from '../../config/edit.ts';
import type { JsonObject } from '../../lib/json.ts';
import { socketAddress, socketOf } from '../../lib/socket-address.ts';
import { namedText } from '../../credentials/keys.ts';
import { noKeyRequired } from '../../llm/endpoint.ts';
import { allProfiles, findProfile } from '../../providers/choose-provider.ts';
import { withoutSlash } from '../../providers/endpoint-address.ts';
import { custom } from '../../providers/profiles/custom.ts';
import { complaintAbout } from './authenticate.ts';
import type { Plan } from './plan.ts';
import { pickModel } from './pick-model.ts';
import { type Choice, required } from './prompts.ts';
import { isPinned } from './pins.ts';
import type { ModelSetting } from './setting.ts';
import { UserError } from '../../lib/errors.ts';
import { type TriedEndpoint, tryEndpoint } from './try-endpoint.ts';

/** With less there is no room for the leanest prompt and an answer. */
const minimumContext = 2000;

/** The servers' formats that the wizard offers. */
const wireFormats: readonly (Choice & { readonly value: Draft['apiMode'] })[] = [
  { value: '', label: 'Detect', hint: 'chat completions unless the address says otherwise' },
  { value: 'chat_completions', label: 'Chat completions', hint: 'what nearly every server speaks' },
  { value: 'codex_responses', label: 'Responses', hint: "OpenAI's newer format" },
  { value: 'anthropic_messages', label: 'Messages', hint: "Anthropic's format" },
];

/** Stores nothing. Throws `Cancelled`, and `UserError` when the administrator's settings leave no room for it. */
export async function askForEndpoint(setting: ModelSetting): Promise<Plan> {
  const { loaded } = setting;
  for (const key of ['custom_providers', 'model.base_url', 'model.default']) {
    if (!isPinned(loaded.managed, key)) continue;
    throw new UserError(`'${key}' is set by your administrator (${loaded.managed.configPath}); no endpoint was added.`);
  }
  for (let draft = await askForDraft(setting, undefined); ; draft = await askForDraft(setting, draft)) {
    const checked = await checkDraft(setting, draft);
    if (checked !== undefined) return planOf(setting, checked);
  }
}

/** The answers so far. */
interface Draft extends TriedEndpoint {
  readonly name: string;
  /** For `.env`; empty when there is none, or the stored one stays. */
  readonly typedKey: string;
  readonly variable: string;
  readonly contextLength: number | undefined;
  /** Position of the entry with this address in `custom_providers`; -1 when it is new. */
  readonly known: number;
}

/** `last` are the answers that did not work: they are offered again. */
async function askForDraft(setting: ModelSetting, last: Draft | undefined): Promise<Draft> {
  const { prompts, loaded, settings, context } = setting;
  const baseUrl = withoutSlash(
    await prompts.text({
      message: 'Base URL',
      placeholder: 'http://localhost:1234/v1',
      ...(last === undefined ? {} : { initial: last.baseUrl }),
      check: complaintAboutUrl,
    }),
  );
  const known = (settings.custom_providers ?? []).findIndex((entry) => withoutSlash(entry.base_url) === baseUrl);
  const old = settings.custom_providers?.[known];
  const name = await prompts.text({
    message: 'A name for it',
    initial: last?.name ?? old?.name ?? nameOf(baseUrl),
    check: (answer) => complaintAboutName(answer, setting, known),
  });
  const variable = old?.key_env || variableOf(name);
  const oldKey = last?.typedKey || old?.api_key || namedText(variable, context.env);
  const asked = loaded.managed.variables.includes(variable)
    ? ''
    : await prompts.secret({
        message: oldKey
          ? `API key (Enter keeps the ${last?.typedKey ? 'one you gave' : 'stored one'})`
          : 'API key (Enter for none)',
        check: (answer) => (answer === '' ? undefined : complaintAbout(answer, custom)),
      });
  const apiMode = await prompts.select('Wire format', wireFormats, last?.apiMode ?? old?.api_mode ?? '');
  const typedKey = asked || (last?.typedKey ?? '');
  const key = asked || oldKey || noKeyRequired;
  const chosen = { id: 'custom', profile: custom };
  const current = last?.model ?? old?.model;
  const model = await pickModel(setting, { chosen, key, baseUrl, apiMode: apiMode || undefined, current });
  const contextLength = await askForContext(
    setting,
    last === undefined ? old?.models?.[model]?.context_length : last.contextLength,
  );
  return {
    baseUrl,
    key,
    apiMode: wireFormats.find(({ value }) => value === apiMode)?.value ?? '',
    model,
    name,
    typedKey,
    variable,
    contextLength,
    known,
  };
}

/** The answers that are to be stored; undefined when they are to be given again. Throws `Cancelled`. */
async function checkDraft(setting: ModelSetting, draft: Draft): Promise<Draft | undefined> {
  const { prompts } = setting;
  const attempt = (endpoint: Draft) =>
    prompts.wait(`Sending a test message to ${endpoint.baseUrl} …`, tryEndpoint(setting, endpoint));
  const problem = await attempt(draft);
  if (problem === undefined) {
    prompts.say(`${draft.model} answered.`);
    return draft;
  }
  const longer = { ...draft, baseUrl: `${draft.baseUrl}/v1` };
  const mayLackPath =
    !/\/v\d+\w*$/.test(draft.baseUrl) && ['not_found', 'bad_request', 'malformed'].includes(problem.kind);
  if (mayLackPath && (await attempt(longer)) === undefined) {
    const question = `${draft.model} does not answer at ${draft.baseUrl}, but it does at ${longer.baseUrl}. Use that address?`;
    if (await prompts.confirm(question, true)) return longer;
  }
  prompts.say(problem.message);
  const next = await prompts.select('Nothing is stored yet.', [
    { value: 'again', label: 'Change the answers' },
    { value: 'store', label: 'Store them all the same', hint: 'conversations will fail until the server answers' },
  ]);
  return next === 'store' ? draft : undefined;
}

function planOf(setting: ModelSetting, draft: Draft): Plan {
  const { name, baseUrl, typedKey, variable, apiMode, model, contextLength, known } = draft;
  const entry: JsonObject = {
    name,
    base_url: baseUrl,
    ...(typedKey === '' ? {} : { key_env: variable }),
    ...(apiMode === '' ? {} : { api_mode: apiMode }),
    model,
    ...(contextLength === undefined ? {} : { models: { [model]: { context_length: contextLength } } }),
  };
  const provider = `custom:${slugOf(name)}`;
  const address = { baseUrl, apiMode: apiMode || undefined, sameEndpoint: false };
  return {
    changes: [
      ...entryChanges(setting, entry, known),
      ...modelChanges(setting.settings, { provider, model, ...address }),
    ],
    variables: typedKey === '' ? [] : [[variable, typedKey]],
    summary: `${model} at ${baseUrl} (${provider})`,
  };
}

/** Undefined leaves it to the server and the tables. */
async function askForContext({ prompts }: ModelSetting, known: number | undefined): Promise<number | undefined> {
  const answer = await prompts.text({
    message: 'Context length in tokens (Enter: detect it)',
    placeholder: '131072',
    ...(known === undefined ? {} : { initial: String(known) }),
    check(text) {
      if (text === '') return undefined;
      const tokens = tokensIn(text);
      if (tokens === undefined) return 'A number of tokens such as 131072 or 128k.';
      return tokens < minimumContext ? 'At least 2,000 tokens are needed.' : undefined;
    },
  });
  return tokensIn(answer);
}

function tokensIn(text: string): number | undefined {
  const match = /^(\d{1,9})(k?)$/i.exec(text.replaceAll(/[_, ]/g, ''));
  if (match === null) return undefined;
  return Number(match[1]) * (match[2] === '' ? 1 : 1024);
}

/** Fields of an entry that is there already and that were not asked for stay as they are. */
function entryChanges({ loaded, options, settings }: ModelSetting, entry: JsonObject, known: number): Change[] {
  const id = settings.custom_providers?.[known]?.id;
  if (id !== undefined && options.reset !== 'all') return mapChanges(id, entry);
  const written = options.reset === 'all' ? [] : loaded.user.data['custom_providers'];
  if (!Array.isArray(written) || written.length === 0) return [{ path: ['custom_providers'], value: [entry] }];
  if (known === -1) return [{ path: ['custom_providers', 'new'], value: entry }];
  return Object.entries(entry).map(([field, value]) => ({ path: ['custom_providers', String(known), field], value }));
}

/** What the fields are called in the map `providers`. */
const MAP_FIELDS: Readonly<Record<string, string>> = {
  base_url: 'api',
  model: 'default_model',
  api_mode: 'transport',
};

function mapChanges(id: string, entry: JsonObject): Change[] {
  return Object.entries(entry).map(([field, value]) => ({
    path: ['providers', id, MAP_FIELDS[field] ?? field],
    value,
  }));
}

function complaintAboutUrl(answer: string): string | undefined {
  const url = URL.parse(socketAddress(answer) ?? answer);
  if (url === null || !/^http(?:s|\+unix)?:$/.test(url.protocol)) return 'A URL such as http://localhost:1234/v1';
  return url.username === '' && url.password === '' ? undefined : 'Leave the password out: the key is asked for next.';
}

function complaintAboutName(answer: string, { settings }: ModelSetting, known: number): string | undefined {
  if (answer === '') return required(answer);
  if (/[\p{Cc}:/]/u.test(answer)) return 'Letters, digits, spaces and hyphens.';
  if (findProfile(answer, { profiles: allProfiles(settings) }) !== undefined)
    return 'A provider has this name already.';
  const taken = (settings.custom_providers ?? []).findIndex((entry) => slugOf(entry.name) === slugOf(answer));
  return taken === -1 || taken === known ? undefined : 'Another endpoint has this name already.';
}

function nameOf(baseUrl: string): string {
  const url = new URL(socketAddress(baseUrl) ?? baseUrl);
  const { hostname, port } = url;
  const name = (socketOf(url) ?? hostname)
    .replace(/^(?:api|www)\./, '')
    .replaceAll(/[^a-z0-9]+/gi, '-')
    .replaceAll(/^-+|-+$/g, '');
  return port === '' ? name : `${name}-${port}`;
}

function variableOf(name: string): string {
  const word = name
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  return `CUSTOM_${word === '' ? '' : `${word}_`}API_KEY`;
}

function slugOf(name: string): string {
  return name.trim().toLowerCase().replaceAll(/\s+/g, '-');
}
