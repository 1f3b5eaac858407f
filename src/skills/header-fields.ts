/** Pieces of header schemas that take what they can use and leave out the rest. */
import * as z from 'zod';

/** White space, line breaks and control characters become single spaces: one line of a prompt stays one line. */
export function oneLine(text: string): string {
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g, ' ').trim();
}

const largestList = 100;

/** A text that says something; anything else is `undefined`. */
export const text = z
  .unknown()
  .transform((value) => scalar(value)?.trim() || undefined)
  .prefault(undefined);

/** A list of words, or one string with commas and perhaps brackets around it. */
export const words = z.unknown().transform(readWords).prefault(undefined);

function readWords(value: unknown): string[] {
  const items: readonly unknown[] =
    typeof value === 'string' ? value.replace(/^\s*\[|\]\s*$/g, '').split(',') : Array.isArray(value) ? value : [];
  return items
    .slice(0, largestList)
    .map((item) => oneLine(scalar(item) ?? '').replace(/^(["'])(.*)\1$/, '$2'))
    .filter((item) => item !== '');
}

function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;
}

/** Objects that may be missing, or be something else. */
export function mapOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const object = z.object(shape);
  return z
    .unknown()
    .transform((value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}))
    .pipe(object)
    .prefault({});
}

/** A list of what `item` accepts; a lone value counts as a list of one, what fits nowhere is left out. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .unknown()
    .transform((value): z.output<Item>[] => {
      const items: readonly unknown[] = Array.isArray(value)
        ? value
        : value === undefined || value === null
          ? []
          : [value];
      return items.slice(0, largestList).flatMap((entry) => {
        const parsed = item.safeParse(entry);
        return parsed.success ? [parsed.data] : [];
      });
    })
    .prefault([]);
}
