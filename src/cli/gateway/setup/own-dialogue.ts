/** A platform that asks for its credentials in its own way: what it is answered is kept back until the setup is done. */
import { filled, firstSet } from '../../../config/env-values.ts';
import type { Platform } from '../../../gateway/platform/platform.ts';
import { errorMessage } from '../../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { escapeForDisplay } from '../../../safety/display.ts';
import { Cancelled, required } from '../../model/prompts.ts';
import type { Asking } from './answers.ts';

export interface OwnAnswers {
  readonly variables: ReadonlyMap<string, string | undefined>;
  /** Keys of its block in config.yaml. */
  readonly settings: JsonObject;
}

/** Undefined when it failed, which is told. Throws `Cancelled` when the person left. */
export async function askInItsOwnWay(
  { context, prompts, loaded }: Asking,
  platform: Pick<Platform, 'setUp'>,
): Promise<OwnAnswers | undefined> {
  const variables = new Map<string, string | undefined>();
  const settings: JsonObject = {};
  // Its words are not ours.
  const shown = (message: string) => escapeForDisplay(message, { singleLine: true });
  const checked = (optional: boolean | undefined) => (optional === true ? {} : { check: required });
  try {
    await platform.setUp?.({
      say: (text) => prompts.say(escapeForDisplay(text)),
      text: async (message, { initial, optional }) =>
        await prompts.text({
          message: shown(message),
          ...checked(optional),
          ...(initial === undefined ? {} : { initial }),
        }),
      secret: async (message, { optional }) => await prompts.secret({ message: shown(message), ...checked(optional) }),
      select: async (message, choices, initial) => await prompts.select(shown(message), choices, initial),
      confirm: async (message, initial) => await prompts.confirm(shown(message), initial),
      variable: (name) => (variables.has(name) ? variables.get(name) : filled(firstSet(context.env, [name])?.value)),
      setVariable(name, value) {
        if (loaded.managed.variables.includes(name)) prompts.say(`${name} is set by the administrator.`);
        else variables.set(name, value);
      },
      setSetting: (key, value) => void (settings[key] = value),
    });
    return { variables, settings };
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    prompts.say(shown(errorMessage(error)));
    return undefined;
  }
}

/** config.yaml as it will be. */
export function withSettings(raw: JsonObject, name: string, settings: JsonObject): JsonObject {
  if (Object.keys(settings).length === 0) return raw;
  const platforms = isJsonObject(raw['platforms']) ? raw['platforms'] : {};
  const block = isJsonObject(platforms[name]) ? platforms[name] : {};
  return { ...raw, platforms: { ...platforms, [name]: { ...block, ...settings } } };
}
