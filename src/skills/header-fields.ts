/** Pieces of header schemas that take what they can use and leave out the rest. */
import * as z from 'zod';
import { maxListItems, readMap, readText, readWords } from './header-values.ts';

/** A text that says something; anything else is `undefined`. */
export const text = z.unknown().transform(readText).prefault(undefined);

/** A list of words, or one string with commas and perhaps brackets around it. */
export const words = z.unknown().transform(readWords).prefault(undefined);

/** Objects that may be missing, or be something else. */
export function mapOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const object = z.object(shape);
  return z
    .unknown()
    .transform((value): object => readMap(value))
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
      return items.slice(0, maxListItems).flatMap((entry) => {
        const parsed = item.safeParse(entry);
        return parsed.success ? [parsed.data] : [];
      });
    })
    .prefault([]);
}
