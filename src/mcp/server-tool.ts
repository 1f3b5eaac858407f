/** A tool as a server lists it, made fit to be offered. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { Connection } from './connect.ts';
import { mendSchema } from '../agent/mend-schema.ts';
import { visible, visibleLine } from './visible.ts';

export interface ServerTool {
  /** The server's own name for it. */
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  /** Of description and schema: another one means another tool. */
  readonly hash: string;
}

/** Pages of a list: a server that always has one more is asked no further. */
export const maxPages = 50;
const maxTools = 2000;
const maxNameChars = 200;
const maxDescriptionChars = 8000;
const maxSchemaChars = 64_000;
const maxDepth = 60;

const toolShape = z.looseObject({
  name: z.string().min(1).max(maxNameChars),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
});

/**
 * What cannot be read as a tool is left out and told to `onSkipped`. Rejects when the server does not list its tools, all of
 * them within `timeoutMs`.
 */
export async function listTools(
  connection: Connection,
  server: string,
  { signal, timeoutMs, onSkipped }: ListOptions,
): Promise<readonly ServerTool[]> {
  const found = new Map<string, ServerTool>();
  for await (const item of pagesOf(connection, 'tools/list', 'tools', { signal, timeoutMs })) {
    const tool = readTool(item, server);
    if (typeof tool === 'string') onSkipped(tool);
    else if (found.size >= maxTools) return [...found.values()];
    else if (!found.has(tool.name)) found.set(tool.name, tool);
  }
  return [...found.values()];
}

interface ListOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onSkipped: (why: string) => void;
}

/** The items of a list over all its pages, which share `timeoutMs`. */
async function* pagesOf(
  connection: Connection,
  method: string,
  key: string,
  limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
): AsyncGenerator<unknown, void> {
  const left = timeLeft(limits.timeoutMs);
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const timeoutMs = left();
    if (timeoutMs <= 0) throw new Error(`${method} took longer than ${limits.timeoutMs / 1000} s over its pages`);
    const answer = await connection.request(method, cursor === undefined ? {} : { cursor }, { ...limits, timeoutMs });
    const items: unknown = answer[key];
    if (Array.isArray(items)) yield* items;
    const { nextCursor } = answer;
    if (typeof nextCursor !== 'string' || nextCursor === '' || nextCursor === cursor) return;
    cursor = nextCursor;
  }
}

/** Milliseconds that are left of `ms` from now on; 0 or less when the time is over. */
export function timeLeft(ms: number): () => number {
  const end = performance.now() + ms;
  return () => end - performance.now();
}

/** The tool, or why there is none. */
function readTool(item: unknown, server: string): ServerTool | string {
  const read = toolShape.safeParse(item);
  if (!read.success) return 'a tool without a usable name';
  const { name, inputSchema } = read.data;
  const line = visibleLine(name);
  if (hidesNames(isJsonObject(inputSchema) ? inputSchema : {}, 0)) {
    return `${line}: a name in its schema has characters that nobody sees`;
  }
  const schema = mendSchema(withVisibleText(isJsonObject(inputSchema) ? inputSchema : {}, 0));
  const schemaText = stableText(schema);
  if (schemaText.length > maxSchemaChars) return `${line}: its schema is longer than ${maxSchemaChars} characters`;
  const written = visible(read.data.description ?? '').trim();
  const description =
    written === '' ? `MCP tool ${line} from ${server}` : written.slice(0, maxDescriptionChars).toWellFormed();
  const hash = createHash('sha256').update(`${description}\0${schemaText}`).digest('hex');
  return { name, description, schema, hash };
}

function withVisibleText(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'string') return visible(value);
  if (depth > maxDepth) return {};
  if (Array.isArray(value)) return value.map((item) => withVisibleText(item, depth + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withVisibleText(member, depth + 1)]));
}

/** A call would have to carry them as they are, so they cannot be mended. What is deeper is cut off anyway. */
function hidesNames(value: JsonValue, depth: number): boolean {
  if (depth > maxDepth) return false;
  if (Array.isArray(value)) return value.some((item) => hidesNames(item, depth + 1));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, member]) => visibleLine(key) !== key || hidesNames(member, depth + 1));
}

/** The order of keys says nothing, and servers change it. */
function stableText(value: JsonValue): string {
  return JSON.stringify(value, (_key, member: JsonValue) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
}
