/** Asks for the credentials of a chat platform, and the platform whether they are good. */
import { filled, firstSet } from '../../../config/env-values.ts';
import { homeServices } from '../../../gateway/process/home-services.ts';
import { loneAdapter } from '../../../gateway/process/lone-adapter.ts';
import { type PlatformReport, readPlatform } from '../../../gateway/process/configured-platforms.ts';
import type { Platform, PlatformVariable } from '../../../gateway/platform/platform.ts';
import { PlatformError } from '../../../gateway/platform/platform-error.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { Cancelled, required } from '../../model/prompts.ts';
import { type Asking, NotesInMind } from './answers.ts';
import { askInItsOwnWay, type OwnAnswers, withSettings } from './own-dialogue.ts';

type Values = ReadonlyMap<string, string | undefined>;

export interface Credentials {
  readonly variables: Values;
  /** Keys of its block in config.yaml, where it asked for some. */
  readonly settings: JsonObject;
  /** How the platform reads them. */
  readonly report: PlatformReport;
  /** Who it is there; undefined where nobody said. */
  readonly account: string | undefined;
  readonly notes: NotesInMind;
}

const answerMs = 20_000;

/** Asks again until they are good, or the person wants them as they are. */
export async function askForCredentials(asking: Asking, platform: Platform): Promise<Credentials> {
  let variables: Values = new Map();
  for (;;) {
    if (platform.setUp !== undefined) {
      const given = await askInItsOwnWay(asking, platform);
      const found = given && (await tryCredentials(asking, platform, given));
      if (found !== undefined) return found;
      // It may not have asked anything at all.
      if (!(await asking.prompts.confirm('Try it once more?', true))) throw new Cancelled();
      continue;
    }
    variables = await askForVariables(asking, platform, variables);
    const found = await tryCredentials(asking, platform, { variables, settings: {} });
    if (found !== undefined) return found;
  }
}

/** Those that say who may talk, and where home is, are asked for in their own way. `before`: what would not do. */
async function askForVariables(
  asking: Asking,
  { requiredVariables, allowedUsersVariable, homeVariable }: Platform,
  before: Values,
): Promise<Values> {
  const { context, prompts, loaded } = asking;
  const values = new Map<string, string | undefined>();
  for (const variable of requiredVariables) {
    const { name, insteadOf } = variable;
    if (name === allowedUsersVariable || name === homeVariable) continue;
    if (loaded.managed.variables.includes(name)) {
      prompts.say(`${name} is set by the administrator.`);
      values.set(name, firstSet(context.env, [name])?.value);
      continue;
    }
    if (insteadOf !== undefined && values.get(insteadOf) !== undefined) continue;
    values.set(name, await askForVariable(asking, variable, before.get(name)));
  }
  return values;
}

async function askForVariable(
  { context, prompts }: Asking,
  variable: PlatformVariable,
  before: string | undefined,
): Promise<string | undefined> {
  const { name, prompt, url, secret, optional } = variable;
  const now = filled(firstSet(context.env, [name])?.value);
  const initial = before ?? now;
  const check = (answer: string): string | undefined => {
    if (answer !== '') return variable.check?.(answer);
    return optional === true || (secret && now !== undefined) ? undefined : required(answer);
  };
  const where = url === undefined ? '' : `, from ${url}`;
  const enter = secret && now !== undefined ? 'Enter keeps it' : optional === true ? 'Enter leaves it out' : undefined;
  const message = `${prompt}${where}${enter === undefined ? '' : ` (${enter})`}`;
  if (!secret)
    return (await prompts.text({ message, check, ...(initial === undefined ? {} : { initial }) })) || undefined;
  return (await prompts.secret({ message, check })) || now;
}

/** Undefined when they have to be asked for again. */
async function tryCredentials(
  asking: Asking,
  platform: Platform,
  { variables, settings }: OwnAnswers,
): Promise<Credentials | undefined> {
  const { context, prompts, loaded } = asking;
  const { home, log } = context;
  const all = { ...context.env, ...Object.fromEntries(variables) };
  const report = readPlatform(platform, { raw: withSettings(loaded.raw, platform.name, settings), variables: all });
  for (const problem of report.problems) prompts.say(problem);
  if (!report.configured) {
    if (report.problems.length === 0) prompts.say(`That is not all that ${platform.label} needs.`);
    return undefined;
  }
  const notes = new NotesInMind(homeServices(home, loaded).notes(platform.name));
  const adapter = loneAdapter({ platform, config: report.config, home, loaded, log, notes });
  const found = { variables, settings, report, notes };
  try {
    const asked = adapter.account?.(AbortSignal.timeout(answerMs));
    if (asked === undefined) return { ...found, account: undefined };
    const account = await prompts.wait(`Asking ${platform.label} …`, asked);
    prompts.say(`${platform.label} knows it: ${account}`);
    return { ...found, account };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    prompts.say(error.message);
    const keeps = error.retryable && (await prompts.confirm('Take it without having tried it?', false));
    return keeps ? { ...found, account: undefined } : undefined;
  } finally {
    await adapter.disconnect();
  }
}
