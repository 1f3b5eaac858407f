/** Choosing the model in the terminal: provider, key or login, model; stored in one step after the last answer. */
import { modelChanges } from '../../config/model-changes.ts';
import { UserError } from '../../lib/errors.ts';
import { filled } from '../../config/env-values.ts';
import { type ChosenProvider, configuredProvider } from '../../providers/choose-provider.ts';
import { withoutSlash } from '../../providers/endpoint-address.ts';
import { namedText } from '../../credentials/keys.ts';
import { isLocalHost } from '../../llm/endpoint.ts';
import { refusePackagedInstall } from '../../config/managed.ts';
import { type ModelAccess, openModelAccess } from '../../runtime/model-access.ts';
import { openCredentials } from '../auth/credentials.ts';
import type { CliContext } from '../command.ts';
import { authenticate } from './authenticate.ts';
import { askForAuxiliary } from './auxiliary.ts';
import { askForEndpoint } from './custom-endpoint.ts';
import { type Plan, storePlan } from './plan.ts';
import { pickMainModel } from './pick-model.ts';
import { pickProvider } from './pick-provider.ts';
import { Cancelled, openPrompts, type Prompts } from './prompts.ts';
import { isPinned } from './pins.ts';
import { backUpConfig, resetChanges, settingsAfter } from './reset.ts';
import type { ModelOptions, ModelSetting } from './setting.ts';

const withoutTerminal = [
  'Without one, choose the model with:',
  '  hermes config set OPENROUTER_API_KEY <key>',
  '  hermes config set model.provider openrouter',
  '  hermes config set model.default <model>',
  'For a server of your own: hermes config set model.provider custom, then model.base_url and model.default.',
].join('\n');

/** Throws `UserError` when there is no terminal, or the settings cannot be changed. */
export async function chooseModel(context: CliContext, title: string, options: ModelOptions = {}): Promise<void> {
  await refuseWhereNobodyAnswers(context, title);
  const prompts = await openPrompts(context.io);
  prompts.intro(title);
  try {
    const said = await askForMainModel(context, prompts, options);
    prompts.outro(said === undefined ? 'Nothing was changed.' : `${said}. Start with: hermes`);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    prompts.outro('Nothing was changed.');
  }
}

/** Throws `UserError`, with `hint`, when there is no terminal, and when the settings cannot be changed. */
export async function refuseWhereNobodyAnswers(
  context: CliContext,
  title: string,
  hint = withoutTerminal,
): Promise<void> {
  const { io, home, env } = context;
  if (!io.stdin.isTTY || !io.stdout.isTTY) {
    throw new UserError(`${title} asks questions and needs a terminal.`, { hint });
  }
  refusePackagedInstall(home, env);
  const { user, path } = await context.config();
  if (user.state === 'broken') {
    throw new UserError(`${path} does not parse and cannot be changed.`, {
      hint: 'Repair it with `hermes config edit`, then try again.',
    });
  }
}

/**
 * Stores the answers in one step after the last of them, and says so in one line; undefined when there was nothing to
 * store. Throws `Cancelled`, with nothing stored.
 */
export async function askForMainModel(
  context: CliContext,
  prompts: Prompts,
  options: ModelOptions,
): Promise<string | undefined> {
  const { home, env } = context;
  const loaded = await context.config();
  const access = await openModelAccess({ home, env, config: loaded });
  try {
    const credentials = await openCredentials(context);
    if (options.refresh === true) await fetchAgain(prompts, access);
    const { knowledge } = access;
    const settings = settingsAfter(options.reset, access.settings, loaded);
    const resolve: ModelAccess['resolve'] = (request, signal) => access.resolve(request, signal);
    return await askAndStore({ context, prompts, loaded, settings, knowledge, credentials, resolve, options });
  } finally {
    await access.close();
  }
}

async function fetchAgain(prompts: Prompts, access: ModelAccess): Promise<void> {
  const renewing = access.refreshNow(AbortSignal.timeout(30_000));
  if (await prompts.wait('Fetching what is known of models …', renewing)) return;
  prompts.say('It could not be fetched; what is there already is used.');
}

async function askAndStore(setting: ModelSetting): Promise<string | undefined> {
  const { prompts, loaded, options } = setting;
  const plan = await askForPlan(setting);
  if (plan === undefined) return undefined;
  if (options.onlyMissing === true && options.reset === undefined && changesNothing(setting, plan)) {
    return `Nothing is missing: ${plan.summary}${overruled(setting)}`;
  }
  if (options.reset === undefined) await storePlan(setting, plan);
  else {
    const backup = backUpConfig(loaded, new Date());
    if (backup !== undefined) prompts.say(`The old settings are in ${backup}`);
    await storePlan(setting, { ...plan, changes: [...resetChanges(loaded, options.reset), ...plan.changes] });
  }
  return `Stored: ${plan.summary}${overruled(setting)}`;
}

/** True when provider and model are already as planned, and no key is new. */
function changesNothing({ settings }: ModelSetting, { changes, variables, login }: Plan): boolean {
  const planned = (name: string) => changes.find(({ path }) => path.join('.') === `model.${name}`)?.value;
  const same = planned('provider') === settings.provider && planned('default') === settings.default;
  return same && variables.length === 0 && login === undefined;
}

async function askForPlan(setting: ModelSetting): Promise<Plan | undefined> {
  const picked = await pickProvider(setting);
  if (picked === 'auxiliary') return await askForAuxiliary(setting);
  if (picked === 'new endpoint') return await askForEndpoint(setting);
  return await askForModel(setting, picked);
}

async function askForModel(setting: ModelSetting, chosen: ChosenProvider): Promise<Plan> {
  const { settings } = setting;
  const same = configuredProvider(settings) === chosen.id;
  const baseUrl = await askForAddress(setting, chosen, same);
  const sameEndpoint = same && withoutSlash(baseUrl ?? '') === withoutSlash(settings.base_url ?? '');
  const { key, variables, login } = await authenticate(setting, chosen, sameEndpoint);
  const model = await pickMainModel(setting, { chosen, key, baseUrl });
  const apiMode = sameEndpoint ? filled(settings.api_mode) : filled(chosen.saved?.api_mode);
  return {
    changes: modelChanges(setting.settings, { provider: chosen.id, model, baseUrl, apiMode, sameEndpoint }),
    variables,
    login: login === undefined ? undefined : { profile: chosen.profile, tokens: login },
    summary: `${model} (${chosen.id})`,
  };
}

/** What belongs into `model.base_url`: undefined for a provider at its usual address. */
async function askForAddress(
  { prompts, settings, context, loaded, options }: ModelSetting,
  { profile, saved }: ChosenProvider,
  same: boolean,
): Promise<string | undefined> {
  if (saved !== undefined) return withoutSlash(saved.base_url);
  const own = same ? filled(settings.base_url) : undefined;
  const written = namedText(profile.baseUrlVariable, context.env);
  const local = isLocalHost(URL.parse(profile.baseUrl)?.hostname ?? '');
  const asks = local || (profile.baseUrl === '' && profile.auth !== 'google' && profile.apiMode !== 'in_process');
  const set = own !== undefined || (written !== undefined && !local);
  if (!asks || (set && options.onlyMissing === true) || isPinned(loaded.managed, 'model.base_url')) return own;
  const usual = written ?? profile.baseUrl;
  const url = await prompts.text({
    message: `Base URL of ${profile.name ?? profile.id}`,
    ...(own === undefined && usual === '' ? {} : { initial: own ?? usual }),
    check: (answer) => (/^https?:$/.test(URL.parse(answer)?.protocol ?? '') ? undefined : 'An http(s) URL, please.'),
  });
  return withoutSlash(url) === withoutSlash(usual) ? undefined : withoutSlash(url);
}

/** A variable that will win over what was stored. */
function overruled({ loaded }: ModelSetting): string {
  const { model } = loaded.models;
  return model === undefined ? '' : `; HERMES_INFERENCE_MODEL is set and wins: ${model}`;
}
