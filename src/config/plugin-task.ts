/** `auxiliary.<key>` of side tasks that plug-ins bring: the fields of the program's own tasks. */
import type * as z from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { task } from './schema/auxiliary.ts';

export type PluginTaskSettings = z.infer<ReturnType<typeof task>>;

const usualSeconds = 60;

/** What the owner wrote over the defaults of the plug-in. What cannot be used of the owner's part counts as not written. */
export function readPluginTask(written: JsonValue | undefined, defaults: JsonObject): PluginTaskSettings {
  const shape = task(usualSeconds);
  const filled = Object.fromEntries(
    Object.entries(isJsonObject(written) ? written : {}).filter(([, value]) => value !== null),
  );
  const whole = shape.safeParse({ ...defaults, ...filled });
  if (whole.success) return whole.data;
  const wrong = new Set(whole.error.issues.map(({ path }) => String(path[0])));
  const usable = Object.fromEntries(Object.entries(filled).filter(([name]) => !wrong.has(name)));
  const read = shape.safeParse({ ...defaults, ...usable });
  return read.success ? read.data : shape.parse({});
}
