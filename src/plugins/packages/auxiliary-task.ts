/** Side tasks that plug-ins bring: small requests to models with settings of their own, `auxiliary.<key>`. */
import * as z from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { jsonObject } from './values.ts';

/** What a plug-in may say of its task; which address and which key are the owner's to say. */
const defaults = z.looseObject({
  provider: z.string().max(200).default('auto'),
  model: z.string().max(200).default(''),
  base_url: z.literal('', 'is for the owner to set').default(''),
  api_key: z.literal('', 'is for the owner to set').default(''),
  /** Seconds. */
  timeout: z.number().positive().max(600).default(60),
  extra_body: jsonObject.default({}),
});

/** What `registerAuxiliaryTask` takes. */
export const auxiliaryTaskRegistration = z.looseObject({
  key: z.string().regex(/^[A-Za-z0-9_]{1,64}$/, 'must be a name of letters, digits and _'),
  display_name: z.string().min(1).max(100),
  description: z.string().max(300).default(''),
  defaults: defaults.nullish().transform((given) => defaults.parse(given ?? {})),
});

export interface PluginTask {
  readonly key: string;
  readonly displayName: string;
  readonly description: string;
  /** The six fields that every task has. */
  readonly defaults: JsonObject;
  /** Key of the plug-in. */
  readonly plugin: string;
}

export function auxiliaryTask(
  plugin: string,
  { key, display_name, description, defaults: given }: z.infer<typeof auxiliaryTaskRegistration>,
): PluginTask {
  const { provider, model, base_url, api_key, timeout, extra_body } = given;
  return {
    key,
    displayName: display_name,
    description,
    defaults: { provider, model, base_url, api_key, timeout, extra_body },
    plugin,
  };
}

/** Whose the name is already, in any case of letters: the variables of a task are in capitals. */
export function ownerOf(
  key: string,
  own: readonly string[],
  others: ReadonlyMap<string, PluginTask>,
): string | undefined {
  const isIt = (name: string): boolean => name.toLowerCase() === key.toLowerCase();
  if (own.some(isIt)) return 'the program';
  const other = [...others.values()].find((task) => isIt(task.key));
  return other === undefined ? undefined : `the plug-in ${other.plugin}`;
}
