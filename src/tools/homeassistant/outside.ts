/** Which answers of a house count as somebody else's words. */
import { mergeSources, type Source } from '../../llm/source.ts';

const own: Source = { from: 'tool', name: 'homeassistant' };
const server: Source = { from: 'server', name: 'homeassistant' };

/**
 * Values such as `on`, `21.5` and `2026-11-27T05:00:00` say nothing to a model, and names are the owner's. Any other text (the
 * title that a player shows, a message that a sensor repeats, the description of a calendar entry) anybody may have written.
 */
export function sourcesOf(values: readonly unknown[]): readonly Source[] {
  return values.every(isPlain) ? [own] : mergeSources([own], [server]);
}

const maxDepth = 10;

function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return /^[\p{L}\p{N}_.:%°+/#-]{0,64}$/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === maxDepth) return false;
  return Object.entries(value).every(([key, member]) => isPlain(key) && isPlain(member, depth + 1));
}

/** Attributes that the owner, or the integration that the owner chose, names. */
const named: ReadonlySet<string> = new Set([
  'friendly_name',
  'unit_of_measurement',
  'device_class',
  'icon',
  'attribution',
]);

export function attributeValues(attributes: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Object.entries(attributes).flatMap(([key, value]) => (named.has(key) ? [] : [key, value]));
}
