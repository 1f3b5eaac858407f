/** Fields of a platform's settings, as people write them: YAML has lists and numbers, variables have text with commas. */
import * as z from 'zod';
import { parseBoolean } from '../../config/env-values.ts';
import { parseJson } from '../../lib/json.ts';

export const flag = (standard: boolean) =>
  z
    .preprocess((value) => (typeof value === 'string' ? parseBoolean(value) : value), z.boolean('is not yes or no'))
    .default(standard);

export const amount = (standard: number) => z.coerce.number('is not a number').min(0, 'is below 0').default(standard);

/** Of texts; numbers of YAML are texts too. */
export const list = () => z.preprocess(toList, z.array(z.coerce.string())).default([]);

export const optionalText = () =>
  z
    .preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string('is not a text'))
    .transform((value) => value.trim() || undefined)
    .optional();

export const choice = <const T extends readonly [string, ...string[]]>(values: T, standard: T[number]) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
      z.enum(values, `is none of ${values.join(', ')}`),
    )
    .default(() => standard);

/** Without a slash at its end. */
export const address = () =>
  z
    .preprocess(
      (value) => (typeof value === 'string' ? value.trim().replace(/\/+$/, '') || undefined : value),
      z.url({ protocol: /^https?$/, error: 'is not a web address' }),
    )
    .optional();

/** For `z.preprocess`: a list, JSON, or text with commas or on lines of its own. */
export function toList(value: unknown): unknown {
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'string') return value;
  const parsed = value.trimStart().startsWith('[') ? parseJson(value) : undefined;
  return Array.isArray(parsed) ? parsed : value.split(/[,\n]/).flatMap((item) => item.trim() || []);
}
