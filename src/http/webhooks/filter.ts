/** Filters of a route: whether a delivery is one of those that are wanted. */
import { createContext, Script } from 'node:vm';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { atPath } from './template.ts';

export interface FilterValues {
  readonly payload: JsonValue;
  readonly eventType: string;
  readonly headers: Headers;
  /** The entries of the list in a file; undefined when it cannot be read. */
  readonly listIn: (path: string) => readonly JsonValue[] | undefined;
}

/** True when all of them match; what is no filter matches nothing. */
export function passesFilters(filters: JsonValue | undefined, values: FilterValues): boolean {
  if (filters === undefined || filters === null) return true;
  return Array.isArray(filters) ? filters.every((one) => matches(one, values)) : matches(filters, values);
}

function matches(spec: JsonValue, values: FilterValues): boolean {
  if (!isJsonObject(spec)) return false;
  const { all, any, not } = spec;
  if (Array.isArray(all)) return all.every((one) => matches(one, values));
  if (Array.isArray(any)) return any.some((one) => matches(one, values));
  if (not !== undefined) return !matches(not, values);
  return typeof spec['field'] === 'string' && fits(fieldOf(spec['field'], values), spec, values);
}

function fieldOf(field: string, { payload, eventType, headers }: FilterValues): JsonValue | undefined {
  const [first = '', ...rest] = field.split('.');
  if (field === '') return undefined;
  if (first === 'event' || first === 'event_type') return rest.length === 0 ? eventType : undefined;
  if (first === 'headers') return headerOf(headers, rest.join('.'));
  return first === 'payload' ? atPath(payload, rest) : atPath(payload, [first, ...rest]);
}

function headerOf(headers: Headers, name: string): string | undefined {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? (headers.get(name) ?? undefined) : undefined;
}

/** The first operator that is known decides. */
function fits(value: JsonValue | undefined, spec: JsonObject, { listIn }: FilterValues): boolean {
  if (spec['exists'] !== undefined) return (value !== undefined) === (spec['exists'] === true);
  if (spec['missing'] !== undefined) return (value === undefined) === (spec['missing'] === true);
  if (spec['not_equals'] !== undefined) return value === undefined || !isSame(value, spec['not_equals']);
  if (value === undefined) return false;
  if (spec['equals'] !== undefined) return isSame(value, spec['equals']);
  if (spec['contains'] !== undefined) return contains(value, spec['contains']);
  if (spec['in'] !== undefined) return Array.isArray(spec['in']) && isAmong(value, spec['in']);
  const { in_file: file, regex } = spec;
  if (typeof file === 'string') return isAmong(value, listIn(file) ?? []);
  return typeof regex === 'string' && isFound(regex, plainText(value));
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return sorted(one) === sorted(other);
}

function isAmong(value: JsonValue, list: readonly JsonValue[]): boolean {
  return list.some((one) => isSame(value, one));
}

function contains(value: JsonValue, wanted: JsonValue): boolean {
  if (Array.isArray(value)) return isAmong(wanted, value);
  if (isJsonObject(value)) return typeof wanted === 'string' && Object.hasOwn(value, wanted);
  return plainText(value).includes(plainText(wanted));
}

/** JSON with sorted keys, so that the order in which they were written does not count. */
function sorted(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: JsonValue) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** As the original spells it: what was written for it must go on to match. */
function plainText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return sorted(value);
}

const search = new Script('new RegExp(pattern).test(text)');
const searchMs = 200;

/** The text is a stranger's, and may be made to keep a careless pattern busy for ever: it gets a deadline. */
function isFound(pattern: string, text: string): boolean {
  try {
    return search.runInContext(createContext({ pattern, text }), { timeout: searchMs }) === true;
  } catch {
    // No pattern, or one that does not come to an end: it matches nothing.
    return false;
  }
}
