/** `hermes setup agent` and `hermes setup terminal`: a few settings, each with what is set now as the answer of Enter. */
import { setConfigValues, unsetConfigValue } from '../../config/edit.ts';
import { loadConfig, type LoadedConfig } from '../../config/load.ts';
import { refusePackagedInstall } from '../../config/managed.ts';
import { storedValue } from '../../config/stored-value.ts';
import type { Variables } from '../../config/variables.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { isPinned } from '../model/pins.ts';
import { Cancelled, openPrompts, type Prompts, required } from '../model/prompts.ts';
import { backUpConfig } from '../model/reset.ts';
import { type QuestionedSection, type SettingQuestion, sectionQuestions } from './sections.ts';

export interface SectionOptions {
  /** Shows the settings instead of asking for them. */
  readonly onlyShows: boolean;
  /** They are put back to their defaults first. */
  readonly reset: boolean;
}

/** Throws `UserError` when somebody is to be asked and nobody is there, or the settings cannot be changed. */
export async function setUpSection(
  context: CliContext,
  name: QuestionedSection,
  options: SectionOptions,
): Promise<void> {
  const { io, home, env } = context;
  const questions = sectionQuestions[name];
  if (!options.onlyShows && (!io.stdin.isTTY || !io.stdout.isTTY)) {
    throw new UserError(`hermes setup ${name} asks questions and needs a terminal.`, {
      hint: ['Without one:', ...questions.map(({ key }) => `  hermes config set ${key} <value>`)].join('\n'),
    });
  }
  refusePackagedInstall(home, env);
  const found = await context.config();
  if (options.reset) await reset(context, found, questions);
  const loaded = options.reset ? await loadConfig({ home, env }) : found;
  if (options.onlyShows) {
    for (const [key, value] of settingsOf(name, loaded, env)) io.stdout.write(`✓ ${key}: ${value}\n`);
    return;
  }
  const prompts = await openPrompts(io);
  prompts.intro(`hermes setup ${name}`);
  try {
    const stored = await askForSection(context, prompts, name, loaded);
    prompts.outro(stored === undefined ? unchanged(options) : `Stored: ${stored}`);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    prompts.outro(unchanged(options));
  }
}

/**
 * Stores the answers in one step after the last of them, and says which; undefined when all stays as it was. Throws
 * `Cancelled`, with nothing stored.
 */
export async function askForSection(
  context: CliContext,
  prompts: Prompts,
  name: QuestionedSection,
  loaded: LoadedConfig,
): Promise<string | undefined> {
  const questions = sectionQuestions[name];
  const answers = await ask(prompts, loaded, questions, context.env);
  if (answers.size === 0) return undefined;
  await setConfigValues(context, answers);
  const secrets = new Set(questions.flatMap(({ key, isSecret }) => (isSecret ? [key] : [])));
  return [...answers].map(([key, value]) => (secrets.has(key) ? key : `${key} = ${value}`)).join(', ');
}

/** What is set now, for one line. */
export function describeSection(name: QuestionedSection, loaded: LoadedConfig, env: Variables): string {
  return settingsOf(name, loaded, env)
    .map(([key, value]) => `${key} = ${value}`)
    .join(', ');
}

/** The settings that make sense beside each other. */
function settingsOf(
  name: QuestionedSection,
  { config }: LoadedConfig,
  env: Variables,
): (readonly [key: string, value: string])[] {
  const questions = sectionQuestions[name];
  const values = new Map(questions.map((question) => [question.key, String(question.current(config, env))]));
  return questions
    .filter(({ onlyWith }) => makesSense(onlyWith, values))
    .map(({ key }) => [key, values.get(key) ?? ''] as const);
}

function unchanged({ reset: wasReset }: SectionOptions): string {
  return wasReset ? 'The settings are what they are at first; nothing else was changed.' : 'Nothing was changed.';
}

function makesSense(onlyWith: SettingQuestion['onlyWith'], values: ReadonlyMap<string, string>): boolean {
  return onlyWith === undefined || onlyWith.answers.includes(values.get(onlyWith.key) ?? '');
}

async function reset(
  { io, home, env }: CliContext,
  loaded: LoadedConfig,
  questions: readonly SettingQuestion[],
): Promise<void> {
  const backup = backUpConfig(loaded, new Date());
  for (const { key, isSecret } of questions) {
    if (isSecret !== true && !isPinned(loaded.managed, key)) await unsetConfigValue({ home, env, key });
  }
  if (backup !== undefined) io.stdout.write(`The old settings are in ${backup}\n`);
}

/** The answers that differ from what is set. */
async function ask(
  prompts: Prompts,
  { config, managed }: LoadedConfig,
  questions: readonly SettingQuestion[],
  env: Variables,
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  for (const question of questions) {
    const { key, onlyWith } = question;
    const now = question.current(config, env);
    if (isPinned(managed, key)) prompts.say(`${key} is set by the administrator: ${now}`);
    const isAsked = !isPinned(managed, key) && makesSense(onlyWith, answers);
    answers.set(key, isAsked ? await askOne(prompts, question, now) : String(now));
  }
  const before = new Map(questions.map((question) => [question.key, String(question.current(config, env))]));
  return new Map([...answers].filter(([key, answer]) => answer !== before.get(key)));
}

async function askOne(
  prompts: Prompts,
  { key, message, choices, check, isSecret, isOptional }: SettingQuestion,
  now: string | number | boolean,
): Promise<string> {
  if (isSecret === true) {
    const answer = await prompts.secret({ message: `${message} (${now}${now === 'set' ? '; Enter keeps it' : ''})` });
    return answer === '' ? String(now) : answer;
  }
  if (typeof now === 'boolean') return String(await prompts.confirm(message, now));
  const [only, ...others] = choices ?? [];
  if (only !== undefined && others.length === 0) {
    prompts.say(`${message}: ${only.label} (nothing else is in this build)`);
    return String(now);
  }
  if (choices !== undefined) return await prompts.select(message, choices, String(now));
  return await prompts.text({
    message,
    initial: String(now),
    check: (answer) =>
      (isOptional === true ? undefined : required(answer)) ??
      storedValue(key.split('.'), answer).problems[0] ??
      check?.(answer),
  });
}
