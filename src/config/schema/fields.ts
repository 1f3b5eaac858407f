/** The building blocks of the configuration schema: typed fields with a default and a description. */
import * as z from 'zod';
import { parseJson } from '../../lib/json.ts';
import { parseBoolean } from '../env-values.ts';

/** Bounds of a number. `min`/`max` outside values are clamped, others must be at least `least` (default 0) and at most `most`. */
interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly least?: number;
  readonly most?: number;
}

/** A map of known keys; all of them have defaults, so an absent map is the map of the defaults. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess((input) => input ?? {}, z.object(shape));
}

/** True or false; also the words yes/no, on/off and 1/0, as older YAML and the environment write them. */
export const bool = (fallback: boolean, text: string) => booleanValue().default(fallback).describe(text);
export const optionalBool = (text: string) => booleanValue().optional().describe(text);

/** A whole number, also as text (after `${VAR}` expansion). */
export const int = (fallback: number, text: string, range: Range = {}) =>
  numberValue(z.int(), range).default(fallback).describe(text);
export const optionalInt = (text: string, range: Range = {}) => numberValue(z.int(), range).optional().describe(text);

/** A number, also as text. */
export const number = (fallback: number, text: string, range: Range = {}) =>
  numberValue(z.number(), range).default(fallback).describe(text);
export const optionalNumber = (text: string, range: Range = {}) =>
  numberValue(z.number(), range).optional().describe(text);

/** A string; numbers and booleans are taken as they are written. */
export const text = (fallback: string, description: string) => textValue().default(fallback).describe(description);
export const optionalText = (description: string) => textValue().optional().describe(description);

/** What YAML booleans stand for; `asText`: also the words for them in quotes (`no`, `false`, `0`), and the numbers 0 and 1. */
interface ForBooleans<Word> {
  readonly yes?: Word;
  readonly no?: Word;
  readonly asText?: true;
}

/** One of a few words. YAML booleans may stand for one of them: `tool_progress: false` means `off`. */
export function choice<const Words extends readonly [string, ...string[]]>(
  words: Words,
  fallback: NoInfer<Words[number]>,
  description: string,
  booleans: ForBooleans<Words[number]> = {},
) {
  return choiceValue(words, booleans).default(fallback).describe(description);
}

export function optionalChoice<const Words extends readonly [string, ...string[]]>(
  words: Words,
  description: string,
  booleans: ForBooleans<Words[number]> = {},
) {
  return choiceValue(words, booleans).optional().describe(description);
}

/** A list of strings; a single string is split at commas, or read as a JSON list. */
export const list = (description: string, fallback: readonly string[] = []) =>
  listValue()
    .default(() => [...fallback])
    .describe(description);
export const optionalList = (description: string) => listValue().optional().describe(description);

/** Named entries of one kind. */
export const mapOf = <Entry extends z.ZodType>(entry: Entry, description: string) =>
  z.record(z.string(), entry).default({}).describe(description);

/** Names and strings. */
export const textMap = (description: string) => mapOf(textValue(), description);

/** A map or a list this build passes on without looking inside. */
export const anyMap = (description: string) => mapOf(z.unknown(), description);

/** A list of maps; a single map counts as a list of one. */
export const listOf = <Entry extends z.ZodType>(entry: Entry, description: string) =>
  z.preprocess(toList, z.array(entry)).default([]).describe(description);

/** A list of strings and maps: a single string is split at commas, or read as a JSON list. */
export const mixedList = <Entry extends z.ZodType>(entry: Entry, description: string) =>
  z
    .preprocess((input) => toList(readList(input)), z.array(entry))
    .default([])
    .describe(description);

/** A map inside a section. */
export function nested<Shape extends z.ZodRawShape>(shape: Shape, description: string) {
  return z.object(shape).describe(description);
}

function booleanValue() {
  return z.preprocess(readBoolean, z.boolean());
}

function numberValue<Value extends z.ZodNumber>(value: Value, range: Range) {
  const least = range.least ?? (range.min === undefined ? 0 : undefined);
  const bounded = least === undefined ? value : value.min(least);
  const checked = range.most === undefined ? bounded : bounded.max(range.most);
  return z.preprocess((input) => clamp(readNumber(input), range), checked);
}

function textValue() {
  return z.preprocess(readText, z.string());
}

function choiceValue<const Words extends readonly [string, ...string[]]>(
  words: Words,
  booleans: ForBooleans<Words[number]>,
) {
  return z.preprocess((written) => {
    const isWord = words.some((word) => word === written);
    const input = booleans.asText && !isWord && written !== '' ? readBoolean(written) : written;
    if (input === true && booleans.yes !== undefined) return booleans.yes;
    if (input === false && booleans.no !== undefined) return booleans.no;
    if (typeof input !== 'string') return input;
    const word = input.trim().toLowerCase();
    return words.find((known) => known.toLowerCase() === word) ?? input;
  }, z.enum(words));
}

function listValue() {
  return z.preprocess(readList, z.array(textValue()));
}

function readBoolean(input: unknown): unknown {
  if (input === 0 || input === 1) return input === 1;
  return typeof input === 'string' ? (parseBoolean(input) ?? input) : input;
}

function readNumber(input: unknown): unknown {
  if (typeof input !== 'string' || !/^[+-]?(\d+\.?\d*|\.\d+)$/.test(input.trim())) return input;
  return Number(input);
}

function clamp(input: unknown, { min = -Infinity, max = Infinity }: Range): unknown {
  return typeof input === 'number' ? Math.min(max, Math.max(min, input)) : input;
}

function readText(input: unknown): unknown {
  return typeof input === 'number' || typeof input === 'boolean' ? String(input) : input;
}

function readList(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  const parsed = input.trimStart().startsWith('[') ? parseJson(input) : undefined;
  if (Array.isArray(parsed)) return parsed;
  return input
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function toList(input: unknown): unknown {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? [input] : input;
}
