/** Reads one top-level key of the configuration; a bad value costs that value only, never the rest. */
import type * as z from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { isSecretName } from '../lib/secrets.ts';
import { SECTIONS, type SectionName } from './schema.ts';
import { removeAt, valueAt } from './values.ts';

/** A value that could not be used. */
export interface BadValue {
  /** Dotted path, with list positions as numbers. */
  readonly path: string;
  /** What is wrong and what is used instead: `'x' is not one of a|b; using a`. Holds no secret. */
  readonly message: string;
  /** The part of `message` before what is used instead. */
  readonly reason: string;
}

export interface ParsedSection {
  /** What the schema made of it; typed by the caller through `Config`. */
  readonly value: unknown;
  readonly bad: readonly BadValue[];
}

/** More bad values than this in one section are not looked at singly; the section then takes its defaults. */
const MOST_REPAIRS = 100;
const MANY = 'has too many bad values';

/** The value of one top-level key with defaults filled in, and what had to be left out. */
export function parseSection(name: SectionName, input: JsonValue | undefined): ParsedSection {
  const schema: z.ZodType = SECTIONS[name]();
  let current = withoutNulls(input);
  const rejected: { path: string[]; value: JsonValue | undefined; reason: string }[] = [];
  for (let round = 0; round < MOST_REPAIRS; round++) {
    const result = schema.safeParse(current, { jitless: true });
    if (result.success) {
      const bad = rejected.map((item) => describe(name, item, result.data));
      return { value: result.data, bad };
    }
    const issue = result.error.issues[0];
    if (issue === undefined || current === undefined) break;
    const path = presentPath(current, issue.path.map(String));
    const missing = path.length < issue.path.length;
    rejected.push({
      path,
      value: valueAt(current, path),
      reason: missing ? `needs ${issue.path.slice(path.length).join('.')}` : reasonOf(issue),
    });
    if (path.length === 0 || !removeAt(current, path)) current = undefined;
  }
  return { value: schema.parse(undefined), bad: [{ path: name, message: `${MANY}; using defaults`, reason: MANY }] };
}

/** Dotted paths of the keys in `input` that the schema does not know. */
export function unknownKeysOf(name: SectionName, input: JsonValue | undefined): string[] {
  if (input === undefined) return [];
  return droppedKeys(withoutNulls(input), parseSection(name, input).value, [name]);
}

function droppedKeys(input: JsonValue | undefined, output: unknown, path: readonly string[]): string[] {
  if (Array.isArray(input) && Array.isArray(output)) {
    return input.flatMap((item, index) => droppedKeys(item, output[index], [...path, String(index)]));
  }
  if (!isJsonObject(input) || typeof output !== 'object' || output === null) return [];
  const known = new Map<string, unknown>(Object.entries(output));
  return Object.entries(input).flatMap(([key, value]) =>
    known.has(key) ? droppedKeys(value, known.get(key), [...path, key]) : [[...path, key].join('.')],
  );
}

/** A key without a value (`display:`) is an unset key. */
function withoutNulls(value: JsonValue | undefined): JsonValue | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item) ?? null).filter((item) => item !== null);
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const cleaned = withoutNulls(item);
    if (cleaned !== undefined) kept[key] = cleaned;
  }
  return kept;
}

/** The part of a path that exists: an issue about a missing key is an issue of the map that lacks it. */
function presentPath(value: JsonValue, path: readonly string[]): string[] {
  for (let length = path.length; length > 0; length--) {
    if (valueAt(value, path.slice(0, length)) !== undefined) return path.slice(0, length);
  }
  return [];
}

function describe(
  name: SectionName,
  { path, value, reason }: { path: string[]; value: JsonValue | undefined; reason: string },
  output: unknown,
): BadValue {
  const full = [name, ...path].join('.');
  const complaint = `${show(full, value)} ${reason}`;
  // A limit is never replaced by none.
  const instead = name === 'limits' ? 'nothing is sent until it can be read' : replacement(output, path);
  return { path: full, message: `${complaint}; ${instead}`, reason: complaint };
}

function replacement(output: unknown, path: readonly string[]): string {
  let current = output;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return 'ignoring it';
    current = new Map<string, unknown>(Object.entries(current)).get(key);
  }
  if (current === undefined) return 'ignoring it';
  if (typeof current === 'object') return 'using the default';
  return current === ''
    ? 'using the default'
    : `using ${typeof current === 'string' ? current : JSON.stringify(current)}`;
}

function show(path: string, value: JsonValue | undefined): string {
  if (isSecretName(path)) return 'the value';
  if (typeof value === 'string') return `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

const KINDS: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  string: 'text',
  object: 'a map',
  record: 'a map',
  array: 'a list',
};

function reasonOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `is not one of ${issue.values.filter((value) => value !== '').join('|')}`;
    case 'invalid_type':
      return `is not ${KINDS[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return `is less than ${String(issue.minimum)}`;
    case 'too_big':
      return `is more than ${String(issue.maximum)}`;
    case 'invalid_union':
      return 'has the wrong type';
    default:
      return `is not valid (${issue.message})`;
  }
}
