/** How much the tools say of themselves: all of it, or with the lean prompt profile as little as will do. */
import type { Tool } from '../agent/tool.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { isJsonObject } from '../lib/json.ts';

/** Lean: the first sentence of a description and no words about parameters; what calls mean stays the same. */
export function wordedTools<Services>(
  tools: readonly Tool<Services>[],
  profile: 'default' | 'lean',
): readonly Tool<Services>[] {
  if (profile === 'default') return tools;
  return tools.map((tool) => ({
    ...tool,
    description: firstSentence(tool.description),
    ...(tool.describe === undefined
      ? {}
      : {
          describe: (names: ReadonlySet<string>, services: Services) =>
            firstSentence(tool.describe?.(names, services) ?? tool.description),
        }),
    schema: withoutWords(tool.schema),
  }));
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.!?])\s/, 1)[0] ?? '';
}

/** The schema without its own description; a parameter that is called `description` stays. */
function withoutWords(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).filter(([key, value]) => key !== 'description' || typeof value !== 'string');
  return Object.fromEntries(entries.map(([key, value]) => [key, inner(key, value)]));
}

function inner(key: string, value: JsonValue): JsonValue {
  if (key === 'enum' || key === 'const' || key === 'default' || key === 'required') return value;
  if (Array.isArray(value)) return value.map((item) => (isJsonObject(item) ? withoutWords(item) : item));
  if (!isJsonObject(value)) return value;
  if (key !== 'properties' && key !== '$defs') return withoutWords(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isJsonObject(item) ? withoutWords(item) : item]),
  );
}
