/** `cron/jobs.json` and `cron/suggestions.json`: read as tolerantly as the original reads them, written whole or not at all. */
import { copyFileSync, readFileSync } from 'node:fs';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { errorCode, errorMessage } from '../lib/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';

/** The key of the list in the file. */
export type RecordsKey = 'jobs' | 'suggestions';

export interface RecordsFile {
  readonly key: RecordsKey;
  readonly records: readonly JsonObject[];
  /** Keys beside the list, known or not. */
  readonly rest: JsonObject;
  /** The bytes it was read from; undefined when there is no file. */
  readonly text: string | undefined;
  /** Why nothing could be read, in one line. The file is then kept aside before it is written again. */
  readonly problem?: string;
}

/** Never throws: a file that cannot be read holds no records, and `problem` says so. */
export function readRecordsFile(path: string, key: RecordsKey): RecordsFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { key, records: [], rest: {}, text: undefined };
    return { key, records: [], rest: {}, text: '', problem: `${path} cannot be read: ${errorMessage(error)}` };
  }
  const value = parse(text);
  // A list alone is how some write it by hand.
  const list = Array.isArray(value) ? value : isJsonObject(value) ? (value[key] ?? []) : undefined;
  if (!Array.isArray(list)) {
    return { key, records: [], rest: {}, text, problem: `${path} is not a list of ${key}: mend it, or move it away` };
  }
  return { key, records: list.filter(isJsonObject), rest: isJsonObject(value) ? value : {}, text };
}

/**
 * Puts other records into the file that was read. False, and nothing is written, when it has been changed by others since:
 * then it is read again. Throws Node's file-system errors; the old file is then untouched.
 */
export function writeRecordsFile(
  path: string,
  was: RecordsFile,
  records: readonly JsonObject[],
  updatedAt: string,
): boolean {
  if (was.problem !== undefined && was.text !== undefined) {
    copyFileSync(path, `${path}.corrupt-${updatedAt.replaceAll(/[^\dT]/g, '').slice(0, 15)}`);
  }
  const { [was.key]: _records, updated_at: _at, ...rest } = was.rest;
  const value: JsonObject = { [was.key]: [...records], updated_at: updatedAt, ...rest };
  return writeFileAtomic(path, JSON.stringify(value, null, 2), { onlyIf: () => textOf(path) === was.text });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : '';
  }
}

/** Raw line ends and tabs inside a text are taken for what they are meant to be. */
function parse(text: string): JsonValue | undefined {
  const bare = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return parseJson(bare) ?? parseJson(bare.replaceAll(/"(?:[^"\\]|\\.)*"/gs, escapeControls));
}

function escapeControls(literal: string): string {
  return literal.replaceAll(/[\0-\x1F]/g, (char) => JSON.stringify(char).slice(1, -1));
}
