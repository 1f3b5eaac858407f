/** The set-up of a platform that its plug-in asks for itself: what it hands over is looked at, and the person may always leave. */
import * as z from 'zod';
import { errorMessage } from '../../lib/errors.ts';
import { withDeadline } from '../../plugins/deadline.ts';
import type { PluginPlatform } from '../../plugins/packages/plugin-platform.ts';
import type { SetupDialogue } from '../platform/setup-dialogue.ts';
import { oneLine } from './plugged-error.ts';
import { ofTheOperator, variableNames } from './read-plugged.ts';

export interface SetUpOptions {
  /** How long it may take without a question. */
  readonly silentMs?: number;
}

const words = z.string().max(2000);
const choices = z
  .array(z.object({ value: words, label: words, hint: words.exactOptional() }))
  .min(1)
  .max(100);
const answers = z.object({ initial: words.exactOptional(), optional: z.boolean().exactOptional() });
const value = z
  .string()
  .max(10_000)
  .regex(/^[^\r\n\0]*$/, 'must be one line')
  .optional();
const settingName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be a name of small letters')
  .refine((key) => !ofTheOperator.has(key), 'is for the operator to say');
const setting = z.union([z.string().max(10_000), z.number(), z.boolean()]);

/** Rejects with what a question threw: the person has left, whatever the plug-in made of it. */
export async function setUpPlugged(
  given: PluginPlatform,
  dialogue: SetupDialogue,
  { silentMs = 60_000 }: SetUpOptions = {},
): Promise<void> {
  const { label, setup_fn } = given;
  // Who may speak is asked for by the program itself.
  const names = [...variableNames(given), given.cron_deliver_env_var].filter(
    (each) => each !== given.allowed_users_env && each !== given.allow_all_env,
  );
  const leaving = new AbortController();
  let isOver = false;
  let asked: Promise<unknown> | undefined;
  let left: { readonly error: unknown } | undefined;
  const begin = (): void => {
    if (left !== undefined) throw left.error;
    if (isOver) throw new Error('its set-up is over');
  };
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    if (asked !== undefined) throw new Error('it asks two things at once');
    const { promise, resolve } = Promise.withResolvers<void>();
    asked = promise;
    try {
      return await question();
    } catch (error) {
      left = { error };
      leaving.abort();
      throw error;
    } finally {
      asked = undefined;
      resolve();
    }
  };
  const read = <T>(schema: z.ZodType<T>, written: unknown): T => {
    begin();
    const { success, data, error } = schema.safeParse(written);
    if (!success) throw new TypeError(z.prettifyError(error));
    return data;
  };
  const own = (name: unknown): string => {
    begin();
    const found = names.find((each) => each === name);
    if (found === undefined) throw new TypeError(`${String(name)} is no variable that it may set`);
    return found;
  };
  const part = {
    say: (text: unknown) => dialogue.say(read(words, text)),
    text: async (message: unknown, options: unknown = {}) => {
      const [question, how] = [read(words, message), read(answers, options)];
      return await ask(async () => await dialogue.text(question, how));
    },
    secret: async (message: unknown, options: unknown = {}) => {
      const [question, how] = [read(words, message), read(answers, options)];
      return await ask(async () => await dialogue.secret(question, how));
    },
    select: async (message: unknown, of: unknown, initial?: unknown) => {
      const [question, among, first] = [read(words, message), read(choices, of), read(words.optional(), initial)];
      return await ask(async () => await dialogue.select(question, among, first));
    },
    confirm: async (message: unknown, initial: unknown = true) => {
      const question = read(words, message);
      return await ask(async () => await dialogue.confirm(question, initial === true));
    },
    variable: (name: unknown) => dialogue.variable(own(name)),
    setVariable: (name: unknown, to: unknown) => dialogue.setVariable(own(name), read(value, to) || undefined),
    setSetting: (key: unknown, to: unknown) => dialogue.setSetting(read(settingName, key), read(setting, to)),
  };
  try {
    const { signal } = leaving;
    await withDeadline(silentMs, async () => await setup_fn?.(part), { held: () => asked, signal });
  } catch (error) {
    if (left === undefined)
      throw new Error(`the set-up of ${label} failed: ${oneLine(errorMessage(error))}`, { cause: error });
  } finally {
    isOver = true;
  }
  if (left !== undefined) throw left.error;
}
