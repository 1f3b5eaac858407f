/** What plug-ins hand over, as far as a schema can look at it. */
import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

export type Callable = (...given: readonly unknown[]) => unknown;

export function isCallable(value: unknown): value is Callable {
  return typeof value === 'function';
}

export const callable = z.custom<Callable>(isCallable, 'must be a function');
export const jsonObject = z.custom<JsonObject>((value) => isJsonObject(value), 'must be an object');
