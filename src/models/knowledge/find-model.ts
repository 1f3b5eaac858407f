/** Finds a model in a list that may write its name a little differently. */
import type { CatalogueModel, CatalogueModels } from './models-dev.ts';

/** What may stand behind a name without making it another model: dates, versions, channels, routing variants. */
const variant =
  /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|default|v\d+(?::\d+)?|preview(?:-\d{2}[-.]\d{2}(?:-\d{4})?)?)|:(?:nitro|floor|online|exacto|extended))+$/;

/** Names of cloud regions and makers that Bedrock puts in front. */
const bedrockPrefix =
  /^(?:(?:us|us-gov|eu|apac|jp|au|ca|global)\.)?(?:anthropic|amazon|meta|mistral|deepseek|openai|qwen|cohere)\./;

/**
 * The entry of the same name; of the same but for case, dots and hyphens in versions, or the maker's name before a
 * slash; or of the same model with or without a date, the latest of several. `gpt-5` never stands for `gpt-5-mini`.
 */
export function findModel(models: CatalogueModels, model: string): CatalogueModel | undefined {
  const exact = models.get(model);
  if (exact !== undefined) return exact;
  const wanted = plainName(model);
  const base = wanted.replace(variant, '');
  let best: { readonly name: string; readonly entry: CatalogueModel } | undefined;
  for (const [id, entry] of models) {
    const name = plainName(id);
    if (name === wanted) return entry;
    if (name.replace(variant, '') !== base || base === '') continue;
    if (best === undefined || name === base || (best.name !== base && name > best.name)) best = { name, entry };
  }
  return best?.entry;
}

/** The name without dates and channels: `claude-opus-4.6` of `anthropic/claude-opus-4-6-20260205`. */
export function baseName(model: string): string {
  return plainName(model).replace(variant, '');
}

/** Lower case, without maker, region (`us.anthropic.`) and Google's `models/`; versions with dots (`4-6` is `4.6`). */
function plainName(model: string): string {
  return model
    .slice(model.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(bedrockPrefix, '')
    .replace(/(?<=[a-z]-?)(\d{1,2})-(\d{1,2})(?![\da-z])/g, '$1.$2');
}
