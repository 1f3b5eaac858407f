/** Reads a YAML settings file: what it says, or where it is broken. The file itself is never changed here. */
import { readFileSync, statSync } from 'node:fs';
import type { Document, ParsedNode } from 'yaml';
import { errorCode, errorMessage } from '../lib/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { readPlainYaml } from '../lib/plain-yaml.ts';

/** A configuration larger than this is not one. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

export type YamlFile =
  | { readonly state: 'absent' }
  | { readonly state: 'read'; readonly text: string; readonly data: JsonObject; readonly warnings: readonly string[] }
  /** `problem` is `path:line:column: reason`, or `path: reason` when there is no position. */
  | { readonly state: 'broken'; readonly problem: string };

/** Reads and parses; never throws. Duplicate keys are a warning and the last one counts. */
export async function readYamlFile(path: string): Promise<YamlFile> {
  let text: string | undefined;
  try {
    text = readText(path);
  } catch (error) {
    return { state: 'broken', problem: `${path}: ${errorMessage(error)}` };
  }
  if (text === undefined) return { state: 'absent' };
  const plain = readPlainYaml(text);
  if (plain !== undefined) return { state: 'read', text, data: plain, warnings: [] };
  const parsed = await parseYaml(text);
  if ('problem' in parsed) return { state: 'broken', problem: `${path}${parsed.problem}` };
  const warnings = parsed.duplicates.map((place) => `${path}${place}: key appears twice; the last one counts`);
  return { state: 'read', text, data: parsed.data, warnings };
}

/** The text of a settings file, or `undefined` when there is none. Throws when it cannot be read or is not UTF-8. */
export function readText(path: string): string | undefined {
  try {
    const found = statSync(path);
    // A pipe would never end, a device may never begin.
    if (!found.isFile()) throw new Error('is not a regular file');
    if (found.size > MAX_FILE_BYTES) throw new Error(`is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    if (errorCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new Error('is not UTF-8 text', { cause: error });
    throw error;
  }
}

export type ParsedYaml =
  | { readonly document: Document<ParsedNode>; readonly data: JsonObject; readonly duplicates: readonly string[] }
  | { readonly problem: string };

/** Parses YAML 1.2 without custom tags. Places are `:line:column`, counted from 1. */
export async function parseYaml(text: string): Promise<ParsedYaml> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { intAsBigInt: true, merge: true, logLevel: 'silent' });
  const duplicates: string[] = [];
  for (const error of document.errors) {
    const start = error.linePos?.[0];
    const place = start === undefined ? '' : `:${start.line}:${start.col}`;
    if (error.code !== 'DUPLICATE_KEY') return { problem: `${place}: ${firstLine(error.message)}` };
    duplicates.push(place);
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 1000 });
  } catch (error) {
    return { problem: `: ${firstLine(errorMessage(error))}` };
  }
  if (value === null || value === undefined) return { document, data: {}, duplicates };
  const data = toJson(value);
  if (!isJsonObject(data)) return { problem: ':1:1: the file is not a map of keys and values' };
  return { document, data, duplicates };
}

/** Whole numbers beyond what a number can hold (chat ids) become text, so that no digit is lost. */
function toJson(value: unknown): JsonValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Set) return [...value].map(toJson);
  if (typeof value !== 'object' || value === undefined) return null;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const result: JsonObject = {};
  for (const [key, item] of entries) {
    if (key !== '__proto__') result[String(key)] = toJson(item);
  }
  return result;
}

function firstLine(message: string): string {
  const line = message.split('\n', 1)[0] ?? '';
  return line.replace(/ at line \d+, column \d+:?$/, '').replace(/:$/, '');
}
