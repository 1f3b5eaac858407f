/** `hermes moa configure`: which models make up a mixture. */
import { updateConfig } from '../../config/edit.ts';
import { loadConfig } from '../../config/load.ts';
import { UserError } from '../../lib/errors.ts';
import { knownPresets, type Member, mixturesOf } from '../../models/mixture/mixture-settings.ts';
import { lookUpProvider } from '../../providers/choose-provider.ts';
import { openModelAccess } from '../../runtime/model-access.ts';
import { openCredentials } from '../auth/credentials.ts';
import type { CliContext } from '../command.ts';
import { pickModel } from '../model/pick-model.ts';
import { providerChoices } from '../model/pick-provider.ts';
import { Cancelled, openPrompts } from '../model/prompts.ts';
import { readProviderSettings } from '../model/provider-settings.ts';
import type { ModelSetting } from '../model/setting.ts';
import { refuseWhereNobodyAnswers } from '../model/wizard.ts';
import { mixtureLines } from './presets.ts';

/** As typed: `provider:model`. */
export interface GivenModels {
  readonly reference: readonly string[];
  readonly aggregator?: string;
}

interface Members {
  readonly references: readonly Member[];
  readonly aggregator: Member;
}

const maxReferences = 8;

/** Asks for what is not given. Throws `UserError` for models that make no mixture, and where nobody can be asked. */
export async function configureMixture(
  context: CliContext,
  name: string | undefined,
  given: GivenModels,
  open: typeof openPrompts = openPrompts,
): Promise<void> {
  const { moa } = (await context.config()).config;
  const preset = name?.trim() || mixturesOf(moa).usual;
  const isGiven = given.reference.length > 0 || given.aggregator !== undefined;
  const members = isGiven ? await fromWords(context, preset, given) : await fromAnswers(context, preset, open);
  if (members === undefined) return;
  const { references, aggregator } = members;
  await updateConfig(context, [
    { path: ['moa', 'presets', preset, 'reference_models'], value: references.map(asWritten) },
    { path: ['moa', 'presets', preset, 'aggregator'], value: asWritten(aggregator) },
  ]);
  const { config } = await loadConfig(context);
  const lines = [
    `Stored the mixture '${preset}'. Use it with /moa <prompt> or /model moa:${preset}`,
    '',
    ...mixtureLines(config.moa),
  ];
  context.io.stdout.write(`${lines.join('\n')}\n`);
}

/** What is not given stays as it is. */
async function fromWords(context: CliContext, preset: string, given: GivenModels): Promise<Members> {
  const settings = await readProviderSettings(context);
  const known = knownPresets((await context.config()).config.moa)[preset];
  const parsed = (text: string): Member => {
    const [, provider = '', model = ''] = /^((?:custom:)?[^:]+):(.+)$/.exec(text.trim()) ?? [];
    const found = lookUpProvider(provider, settings);
    if (found === undefined || found.id === 'moa') {
      throw new UserError(`'${text}' names no model that a mixture can have; nothing was changed.`, {
        exitCode: 2,
        hint: 'Write <provider>:<model>, such as openrouter:deepseek/deepseek-v4-pro. Providers are listed by: hermes model',
      });
    }
    return { provider: found.id, model };
  };
  const references = given.reference.length === 0 ? (known?.reference_models ?? []) : given.reference.map(parsed);
  const aggregator = given.aggregator === undefined ? known?.aggregator : parsed(given.aggregator);
  if (references.length === 0 || aggregator === undefined || references.length > maxReferences) {
    throw new UserError(`A mixture needs an aggregator and one to ${maxReferences} references; nothing was changed.`, {
      exitCode: 2,
      hint: 'Give --reference <provider:model> for each, and --aggregator <provider:model>.',
    });
  }
  return { references, aggregator };
}

/** Undefined when the person did not want to go on. */
async function fromAnswers(
  context: CliContext,
  preset: string,
  open: typeof openPrompts,
): Promise<Members | undefined> {
  await refuseWhereNobodyAnswers(
    context,
    'hermes moa configure',
    'Without one, name the models: --reference PROVIDER:MODEL (as often as there are) and --aggregator PROVIDER:MODEL.',
  );
  const prompts = await open(context.io);
  prompts.intro(`Mixture '${preset}'`);
  const loaded = await context.config();
  const access = await openModelAccess({ home: context.home, env: context.env, config: loaded });
  try {
    const members = await ask(
      {
        context,
        prompts,
        loaded,
        settings: access.settings,
        knowledge: access.knowledge,
        credentials: await openCredentials(context),
        resolve: (request, signal) => access.resolve(request, signal),
        options: {},
      },
      knownPresets(loaded.config.moa)[preset],
    );
    prompts.outro('These are stored.');
    return members;
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    prompts.outro('Nothing was changed.');
    return undefined;
  } finally {
    await access.close();
  }
}

async function ask(
  setting: ModelSetting,
  before: ReturnType<typeof knownPresets>[string] | undefined,
): Promise<Members> {
  const { prompts } = setting;
  const references: Member[] = [];
  do {
    const { length } = references;
    references.push(await askForMember(setting, `reference ${length + 1}`, before?.reference_models[length]));
  } while (
    references.length < maxReferences &&
    (await prompts.confirm('Add another reference?', references.length < (before?.reference_models.length ?? 0)))
  );
  return { references, aggregator: await askForMember(setting, 'the aggregator', before?.aggregator) };
}

async function askForMember(setting: ModelSetting, who: string, before: Member | undefined): Promise<Member> {
  const choices = providerChoices(setting).filter(({ value }) => value !== 'demo' && value !== 'moa');
  const initial = choices.some(({ value }) => value === before?.provider) ? { initial: before?.provider ?? '' } : {};
  const provider = await setting.prompts.pick(`Which provider for ${who}?`, choices, initial);
  const chosen = lookUpProvider(provider, setting.settings);
  if (chosen === undefined) throw new UserError(`Unknown provider '${provider}'.`);
  const current = before?.provider === provider ? before.model : undefined;
  const model = await pickModel(setting, { chosen, key: undefined, message: `Which model for ${who}?`, current });
  return before?.provider === provider && before.model === model ? before : { provider, model };
}

function asWritten({ provider, model, reasoning_effort: effort }: Member) {
  return { provider, model, ...(effort === undefined || effort === '' ? {} : { reasoning_effort: effort }) };
}
