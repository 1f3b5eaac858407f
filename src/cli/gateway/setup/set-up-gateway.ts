/** `hermes gateway setup`: chat platforms and servers by questions, each stored when its last question is answered. */
import { refusePackagedInstall } from '../../../config/managed.ts';
import { platformReports } from '../../../gateway/process/configured-platforms.ts';
import type { Platform } from '../../../gateway/platform/platform.ts';
import { UserError } from '../../../lib/errors.ts';
import type { CliContext } from '../../command.ts';
import { platformTitle } from '../platform-title.ts';
import { pluggedPlatforms } from '../plugged-platforms.ts';
import { modelThatIsSet } from '../../model/model-that-is-set.ts';
import { Cancelled, type Choice, openPrompts, type Prompts } from '../../model/prompts.ts';
import { withFreshSettings } from '../../setup/fresh-settings.ts';
import { type Answers, type Asking, storeAnswers } from './answers.ts';
import { askForPlatform } from './ask-platform.ts';
import { type ServerSetup, serverSetups } from './ask-server.ts';
import { offerToRun } from './offer-to-run.ts';

/** Something that can be set up. */
interface Item {
  readonly name: string;
  readonly label: string;
  readonly isSetUp: boolean;
  readonly problems: readonly string[];
  ask(asking: Asking): Promise<Answers>;
}

const withoutTerminal = [
  'Without one, for example:',
  '  hermes config set TELEGRAM_BOT_TOKEN <token>',
  '  hermes config set TELEGRAM_ALLOWED_USERS <your id>',
  '  hermes gateway install',
].join('\n');

/** Throws `UserError` when there is no terminal, or the settings cannot be changed. */
export async function setUpGateway(context: CliContext): Promise<void> {
  const { io, home, env } = context;
  if (!io.stdin.isTTY || !io.stdout.isTTY)
    throw new UserError('hermes gateway setup asks questions and needs a terminal.', { hint: withoutTerminal });
  refusePackagedInstall(home, env);
  const prompts = await openPrompts(io);
  prompts.intro('hermes gateway setup: Ctrl+C leaves');
  const stored = await askForGateway(context, prompts).catch(unlessLeft);
  if (stored === undefined) return prompts.outro('Nothing was changed.');
  const last = await offerToRun(withFreshSettings(context), prompts).catch(unlessLeft);
  prompts.outro(last ?? 'Start it with: hermes gateway');
}

/** The same without a question: one line for each. */
export async function showGatewaySetup(context: CliContext): Promise<void> {
  for (const { label, isSetUp, problems } of await itemsOf(context)) {
    context.io.stdout.write(`${isSetUp ? '✓' : '✗'} ${label}: ${isSetUp ? 'set up' : 'not set up'}\n`);
    for (const problem of problems) context.io.stdout.write(`  ${problem}\n`);
  }
}

/** What is set up, for one line. */
export async function describeGateway(context: CliContext): Promise<string> {
  const names = (await itemsOf(context)).flatMap(({ label, isSetUp }) => (isSetUp ? [label] : []));
  return names.length === 0 ? 'none' : names.join(', ');
}

/**
 * Says what was stored, in one line; undefined when all stays as it was. Who leaves in the middle of a platform keeps
 * those before it. Throws `Cancelled` when there are none.
 */
export async function askForGateway(context: CliContext, prompts: Prompts): Promise<string | undefined> {
  const done: string[] = [];
  try {
    for (;;) {
      const items = await itemsOf(withFreshSettings(context));
      const name = await prompts.select('What do you want to set up?', shownItems(items), firstChoice(items, done));
      const item = items.find((each) => each.name === name);
      if (item === undefined) break;
      await setUp(withFreshSettings(context), prompts, item);
      if (!done.includes(item.label)) done.push(item.label);
    }
  } catch (error) {
    if (!(error instanceof Cancelled) || done.length === 0) throw error;
    prompts.say(`What was stored stays: ${done.join(', ')}.`);
  }
  if (done.length === 0) return undefined;
  if ((await modelThatIsSet(withFreshSettings(context))) === undefined)
    prompts.say('No model is set up yet, so nothing could answer: hermes setup model');
  return `Stored: ${done.join(', ')}`;
}

function unlessLeft(error: unknown): undefined {
  if (!(error instanceof Cancelled)) throw error;
}

async function setUp(context: CliContext, prompts: Prompts, item: Item): Promise<void> {
  const asking = { context, prompts, loaded: await context.config() };
  const answers = await item.ask(asking);
  await storeAnswers(asking, answers);
  await answers.notes?.keep();
  prompts.say([`${item.label} is stored in ${context.home.path}/.env.`, ...answers.next].join('\n'));
}

async function itemsOf(context: CliContext): Promise<readonly Item[]> {
  const loaded = await context.config();
  const reports = await platformReports({
    raw: loaded.raw,
    variables: context.env,
    plugged: await pluggedPlatforms(context),
  });
  return [
    ...reports.map(({ platform, config, configured, problems }) => ({
      ...itemOf(platform),
      isSetUp: configured && config.enabled,
      problems,
    })),
    ...serverSetups.map((server: ServerSetup) => ({
      name: server.name,
      label: server.label,
      isSetUp: server.isOn({ context, loaded }),
      problems: [],
      ask: (asking: Asking) => server.ask(asking),
    })),
  ];
}

function itemOf(platform: Platform): Pick<Item, 'name' | 'label' | 'ask'> {
  return { name: platform.name, label: platformTitle(platform), ask: (asking) => askForPlatform(asking, platform) };
}

function shownItems(items: readonly Item[]): readonly Choice[] {
  const shown = items.map(({ name, label, isSetUp }) => ({
    value: name,
    label: isSetUp ? `${label} (set up)` : label,
  }));
  return [...shown, { value: '', label: 'nothing more' }];
}

function firstChoice(items: readonly Item[], done: readonly string[]): string {
  const isAny = done.length > 0 || items.some(({ isSetUp }) => isSetUp);
  return isAny ? '' : (items[0]?.name ?? '');
}
