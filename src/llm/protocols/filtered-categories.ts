/**
 * Azure's results of a content filter, as words for people.
 * https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter
 */
import type { JsonValue } from '../../lib/json.ts';
import { objectOf, stringOf } from './read-json.ts';

/** Of `{violence: {filtered: true, severity: 'high'}, …}` those that were filtered: `violence: high`. */
export function filteredCategories(results: JsonValue | undefined): readonly string[] {
  return Object.entries(objectOf(results) ?? {})
    .filter(([, result]) => objectOf(result)?.['filtered'] === true)
    .map(([category, result]) => [category, stringOf(objectOf(result)?.['severity'])].filter(Boolean).join(': '));
}
