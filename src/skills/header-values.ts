/** Values of a header as far as they can be used; without a schema library, since the index reads hundreds at a start. */
import { isJsonObject, type JsonObject } from '../lib/json.ts';

/** White space, line breaks and control characters become single spaces: one line of a prompt stays one line. */
export function oneLine(text: string): string {
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g, ' ').trim();
}

export const maxListItems = 100;

/** A text that says something; anything else is `undefined`. */
export function readText(value: unknown): string | undefined {
  return scalar(value)?.trim() || undefined;
}

/** A list of words, or one string with commas and perhaps brackets around it. */
export function readWords(value: unknown): string[] {
  const items: readonly unknown[] =
    typeof value === 'string' ? value.replace(/^\s*\[|\]\s*$/g, '').split(',') : Array.isArray(value) ? value : [];
  return items
    .slice(0, maxListItems)
    .map((item) => oneLine(scalar(item) ?? '').replace(/^(["'])(.*)\1$/, '$2'))
    .filter((item) => item !== '');
}

/** An object that may be missing, or be something else. */
export function readMap(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;
}
