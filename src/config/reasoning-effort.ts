/** The words for how hard a model thinks. */
import { choice } from './schema/fields.ts';

/** Weakest first; what is beyond `xhigh` is `xhigh` here, which asks every provider for the most that it has. */
export const effortWords = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'] as const;

/** `''` leaves it open. */
export type EffortWord = '' | (typeof effortWords)[number];

/** A field that holds one of them; `false`, as YAML reads `no` and `off`, means none. */
export const effortField = (description: string) => choice(['', ...effortWords], '', description, { no: 'none' });
