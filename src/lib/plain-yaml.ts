/**
 * Reads the simple YAML that nearly every `config.yaml` and SKILL.md header is made of, without loading the YAML library:
 * that saves 11 ms of a start, and the first index of 200 skills takes 24 ms with it and 72 ms without
 * (`npm run bench -- skills-index`).
 */
import type { JsonObject, JsonValue } from './json.ts';

/**
 * The same value that a YAML 1.2 parser gives, or `undefined` when the text holds anything but plain maps, lists and
 * one-line scalars: the caller then asks the library.
 */
export function readPlainYaml(text: string): JsonObject | undefined {
  if (unusual.test(text)) return undefined;
  const lines = usefulLines(text);
  if (lines === undefined) return undefined;
  const reader: Reader = { lines, next: 0 };
  const value = readMap(reader, 0);
  return value !== undefined && reader.next === lines.length ? value : undefined;
}

interface Line {
  readonly indent: number;
  readonly content: string;
}

interface Reader {
  /** A list item that holds a map is replaced by the map's first line when it is reached. */
  readonly lines: Line[];
  next: number;
}

/** Tabs, control characters, odd line breaks and marks that a parser may treat in its own way. */
const unusual = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\ufeff\ud800-\udfff]|\r(?!\n)/;
const keyLine = /^([A-Za-z_][\w-]*):(?: +(.*))?$/;
const wordsWithMeaning = /^(?:true|false|null|yes|no|on|off|~)$/i;
/** What the core schema of YAML takes for a number. */
const numberLike = /^[-+]?(?:0o[0-7]+|0x[\da-f]+|(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?|\.inf|\.nan)$/i;
const plainNumber = /^(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/;
const maxDepth = 6;

function usefulLines(text: string): Line[] | undefined {
  const lines: Line[] = [];
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trimEnd();
    const content = line.trimStart();
    const indent = line.length - content.length;
    // Spaces only: what else counts as white space here is text in YAML.
    if (/[^ ]/.test(line.slice(0, indent) + raw.slice(line.length))) return undefined;
    if (content !== '' && !content.startsWith('#')) lines.push({ indent, content });
  }
  return lines;
}

function readMap(reader: Reader, depth: number): JsonObject | undefined {
  const first = reader.lines[reader.next];
  if (first === undefined || depth > maxDepth || (depth === 0 && first.indent !== 0)) return undefined;
  const map: JsonObject = {};
  for (let line = reader.lines[reader.next]; line !== undefined; line = reader.lines[reader.next]) {
    if (line.indent < first.indent) break;
    const [, key, rest] = (line.indent === first.indent && keyLine.exec(line.content)) || [];
    if (key === undefined || key === '__proto__' || wordsWithMeaning.test(key) || Object.hasOwn(map, key)) {
      return undefined;
    }
    reader.next++;
    const isBelow = rest === undefined || rest === '' || rest.startsWith('#');
    const value = isBelow ? readBelow(reader, first.indent, depth) : readValue(rest);
    if (value === undefined) return undefined;
    map[key] = value;
  }
  return map;
}

/** What stands on the lines below a key without a value. */
function readBelow(reader: Reader, indent: number, depth: number): JsonValue | undefined {
  const line = reader.lines[reader.next];
  if (line === undefined || line.indent < indent) return null;
  const isList = line.content.startsWith('- ');
  if (line.indent === indent && !isList) return null;
  return isList ? readList(reader, line.indent, depth) : readMap(reader, depth + 1);
}

function readList(reader: Reader, indent: number, depth: number): JsonValue[] | undefined {
  const items: JsonValue[] = [];
  for (let line = reader.lines[reader.next]; line !== undefined; line = reader.lines[reader.next]) {
    if (line.indent < indent || (line.indent === indent && !line.content.startsWith('-'))) break;
    if (line.indent > indent || !line.content.startsWith('- ')) return undefined;
    const value = readItem(reader, line, depth);
    if (value === undefined) return undefined;
    items.push(value);
  }
  return items;
}

function readItem(reader: Reader, line: Line, depth: number): JsonValue | undefined {
  const content = line.content.slice(1).trimStart();
  if (keyLine.test(content)) {
    reader.lines[reader.next] = { indent: line.indent + line.content.length - content.length, content };
    return readMap(reader, depth + 1);
  }
  reader.next++;
  return readScalar(content);
}

function readValue(text: string): JsonValue | undefined {
  if (text === '{}') return {};
  if (!text.startsWith('[')) return readScalar(text);
  if (!text.endsWith(']') || /["'{}]/.test(text)) return undefined;
  const inner = text.slice(1, -1);
  if (inner.trim() === '') return [];
  const items: JsonValue[] = [];
  for (const part of inner.split(',')) {
    const item = readScalar(part.trim());
    if (item === undefined || /[[\]]/.test(part)) return undefined;
    items.push(item);
  }
  return items;
}

function readScalar(written: string): JsonValue | undefined {
  const text = written.startsWith('"') || written.startsWith("'") ? written : withoutComment(written);
  const quoted = /^"([^"\\]*)"$|^'([^']*)'$/.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? '';
  // A first character that starts nothing special, and no comment or key inside.
  if (!/^[\p{L}\p{N}(/$.+]/u.test(text) || /:(?: |$)/.test(text)) return undefined;
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (wordsWithMeaning.test(text)) return undefined;
  if (plainNumber.test(text)) return Number(text);
  return numberLike.test(text) || text === '...' ? undefined : text;
}

function withoutComment(text: string): string {
  const start = text.indexOf(' #');
  return start === -1 ? text : text.slice(0, start).trimEnd();
}
