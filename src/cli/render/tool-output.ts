/** What a tool answered and what it was given, as lines that a person can read: never raw JSON. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { terminalText } from './terminal-text.ts';

/** Keys under which tools answer with a text that stands for itself, the most telling first. */
const textKeys = ['output', 'content', 'diff', 'result', 'message', 'text'];
/** What those texts are accompanied by and need not be said: it stands in the line of the call. */
const quietKeys = new Set(['exit_code', 'success', 'error', ...textKeys]);
/** Longer texts are cut: the whole is for the model. */
const maxChars = 200_000;

/** The lines of a result; none when it has nothing to read. */
export function resultLines(result: string): string[] {
  const value = parseJson(result.slice(0, maxChars));
  if (!isJsonObject(value)) return textLines(result);
  const error = typeof value['error'] === 'string' ? textLines(value['error']) : [];
  const key = textKeys.find((candidate) => typeof value[candidate] === 'string' && value[candidate] !== '');
  const text = key === undefined ? undefined : value[key];
  if (typeof text === 'string') return [...textLines(text), ...error];
  return [...error, ...fields(value, quietKeys)];
}

/** One line an argument, longer texts below their name. */
export function argumentLines(args: Readonly<Record<string, unknown>>): string[] {
  const value = parseJson(JSON.stringify(args));
  return isJsonObject(value) ? fields(value, new Set()) : [];
}

function fields(value: JsonObject, without: ReadonlySet<string>): string[] {
  return Object.entries(value).flatMap(([name, part]) => {
    if (without.has(name) || part === null) return [];
    const lines = partLines(part);
    const [first = ''] = lines;
    return lines.length <= 1 ? [`${terminalText(name)}: ${first}`] : [`${terminalText(name)}:`, ...lines.map(indented)];
  });
}

function partLines(part: JsonValue): string[] {
  if (typeof part === 'string') return textLines(part);
  if (Array.isArray(part)) return part.flatMap(itemLines);
  if (isJsonObject(part)) return fields(part, new Set());
  return [String(part)];
}

function itemLines(item: JsonValue): string[] {
  const [first = '', ...rest] = partLines(item);
  return [`- ${first}`, ...rest.map(indented)];
}

const indented = (line: string): string => `  ${line}`;

function textLines(text: string): string[] {
  const lines = terminalText(text.slice(0, maxChars)).split('\n');
  while (lines.at(-1)?.trim() === '') lines.pop();
  return lines;
}
