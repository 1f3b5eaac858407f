/** The block of something that listens: `platforms.<name>` beats `gateway.platforms.<name>`, key by key. */
import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { optionalBool } from './schema/fields.ts';
import { deepMerge, valueAt } from './values.ts';

const block = z.object({
  enabled: optionalBool('Listen').catch(undefined),
  extra: z.record(z.string(), z.json()).catch({}),
});

/** What cannot be read is as if it were not there. */
export function listenerBlock(raw: JsonObject, name: string): z.infer<typeof block> {
  const paths = [
    ['gateway', 'platforms', name],
    ['platforms', name],
  ];
  return block.parse(
    paths
      .map((path) => valueAt(raw, path))
      .filter(isJsonObject)
      .reduce(deepMerge, {}),
  );
}

/** The variables that are set, by the key that each stands for. */
export function filledVariables(names: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).flatMap(([name, value]) => (value?.trim() ? [[name, value]] : [])));
}
