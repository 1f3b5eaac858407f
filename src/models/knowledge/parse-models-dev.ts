/** Reads what models.dev or our cache of it says: a wrong field is left out, a wrong entry does not spoil the others. */
import * as z from 'zod';
import { isJsonObject, type JsonValue } from '../../lib/json.ts';
import { type CatalogueModel, type CatalogueModels, isListName } from './models-dev.ts';

/** More than any provider has, and any list of providers. */
const maxModels = 5000;
const maxProviders = 1000;

const flag = z.boolean().optional().catch(undefined);
const shortText = z.string().max(40).optional().catch(undefined);
const tokens = z.int().min(1).max(100_000_000).optional().catch(undefined);
const dollars = z.number().min(0).max(100_000).optional().catch(undefined);
const kinds = z.array(z.string().max(40)).max(20).optional().catch(undefined);
const price = { input: dollars, output: dollars, cache_read: dollars, cache_write: dollars };

const modelSchema = z.object({
  reasoning: flag,
  tool_call: flag,
  release_date: shortText,
  status: shortText,
  modalities: z.object({ input: kinds, output: kinds }).optional().catch(undefined),
  limit: z.object({ context: tokens, output: tokens }).optional().catch(undefined),
  cost: z
    .object({ ...price, context_over_200k: z.object(price).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/**
 * The providers of a whole `api.json` with their models; none when it is something else. Read one by one as they are
 * asked for: all at once they would hold up the process for a tenth of a second.
 */
export function* providersIn(value: JsonValue | undefined): Generator<readonly [string, CatalogueModels]> {
  if (!isJsonObject(value)) return;
  for (const [id, provider] of Object.entries(value).slice(0, maxProviders)) {
    const models = isListName(id) ? parseProvider(provider) : undefined;
    if (models !== undefined && models.size > 0) yield [id, models];
  }
}

/** The models of one provider; undefined when this describes none. */
export function parseProvider(value: JsonValue | undefined): CatalogueModels | undefined {
  if (!isJsonObject(value) || !isJsonObject(value['models'])) return undefined;
  const models = new Map<string, CatalogueModel>();
  for (const [id, entry] of Object.entries(value['models']).slice(0, maxModels)) {
    const parsed = modelSchema.safeParse(entry);
    if (parsed.success && isModelId(id)) models.set(id, parsed.data);
  }
  return models;
}

function isModelId(id: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names are shown in terminals.
  return id.length > 0 && id.length <= 200 && id !== '__proto__' && !/[\u0000-\u001f\u007f]/.test(id);
}
