/** The tools that stand for what a server has besides tools: its resources and its prompts. */
import * as z from 'zod';
import { answer, failure, type ToolContext, type ToolOutcome } from '../agent/tool.ts';
import type { JsonObject } from '../lib/json.ts';
import { callServer, type CallParts } from './call.ts';
import { judgeCall } from './judge-call.ts';
import { offeredName } from './names.ts';
import type { OfferedTool } from './offered-tool.ts';
import { cut, fitting } from './results.ts';
import { maxPages, timeLeft } from './server-tool.ts';

interface Utility {
  readonly name: string;
  readonly needs: 'resources' | 'prompts';
  readonly what: string;
  readonly properties: JsonObject;
  readonly required?: readonly string[];
  readonly run: (parts: CallParts, args: JsonObject, context: ToolContext<unknown>) => Promise<ToolOutcome>;
}

const utilities: readonly Utility[] = [
  {
    name: 'list_resources',
    needs: 'resources',
    what: 'List the resources of',
    properties: {},
    run: (parts, _args, context) =>
      list(parts, context, { method: 'resources/list', key: 'resources', shape: resource }),
  },
  {
    name: 'read_resource',
    needs: 'resources',
    what: 'Read a resource of',
    properties: { uri: { type: 'string', description: 'URI of the resource' } },
    required: ['uri'],
    run: async (parts, { uri }, context) =>
      await callServer(
        parts,
        { method: 'resources/read', params: { uri }, read: (given) => readResource(given, context) },
        context,
      ),
  },
  {
    name: 'list_prompts',
    needs: 'prompts',
    what: 'List the prompts of',
    properties: {},
    run: (parts, _args, context) => list(parts, context, { method: 'prompts/list', key: 'prompts', shape: prompt }),
  },
  {
    name: 'get_prompt',
    needs: 'prompts',
    what: 'Get a prompt of',
    properties: {
      name: { type: 'string', description: 'Name of the prompt' },
      arguments: { type: 'object', properties: {}, description: 'Its arguments' },
    },
    required: ['name'],
    run: async (parts, { name, arguments: given = {} }, context) =>
      await callServer(
        parts,
        { method: 'prompts/get', params: { name, arguments: given }, read: (found) => readPrompt(found, context) },
        context,
      ),
  },
];

/** Those that the server has something for, as far as the configuration wants them. */
export function utilityTools(parts: CallParts): readonly OfferedTool[] {
  const { settings, capabilities } = parts.server;
  const { name: server, offers, sideBySide } = settings;
  return utilities
    .filter(({ needs }) => offers[needs] && capabilities?.[needs] === true)
    .map(({ name, what, properties, required, run }) => ({
      name: offeredName(server, name),
      server,
      description: `${what} the MCP server ${server}.`,
      schema: { type: 'object', properties, ...(required === undefined ? {} : { required: [...required] }) },
      sideBySide,
      idempotent: true,
      judge: (args) =>
        judgeCall({ server, tool: name, args, isChanged: false, isAdded: false, agree: () => undefined }),
      execute: (args, context) => run(parts, args, context),
    }));
}

const resource = z.looseObject({
  uri: z.string(),
  name: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  mimeType: z.string().optional().catch(undefined),
});

const prompt = z.looseObject({
  name: z.string(),
  description: z.string().optional().catch(undefined),
  arguments: z
    .array(z.object({ name: z.string(), description: z.string().optional(), required: z.boolean().optional() }))
    .optional()
    .catch(undefined),
});

/**
 * A list over its pages, one request each, until there is more than fits into an answer. All of them have the time of one
 * call.
 */
async function list<Item>(
  parts: CallParts,
  context: ToolContext<unknown>,
  {
    method,
    key,
    shape,
  }: { readonly method: string; readonly key: 'resources' | 'prompts'; readonly shape: z.ZodType<Item> },
): Promise<ToolOutcome> {
  const items: object[] = [];
  let chars = 0;
  let cursor: string | undefined;
  const { name, callMs } = parts.server.settings;
  const left = timeLeft(callMs);
  for (let page = 0; page < maxPages; page++) {
    let next: unknown;
    const read = (given: Readonly<Record<string, unknown>>): ToolOutcome => {
      for (const item of Array.isArray(given[key]) ? given[key] : []) {
        const known = shape.safeParse(item);
        if (!known.success) continue;
        const shown = named(known.data);
        chars += JSON.stringify(shown).length;
        items.push(shown);
      }
      next = given['nextCursor'];
      return answer({});
    };
    const params = cursor === undefined ? {} : { cursor };
    const outcome = await callServer(parts, { method, params, read, timeoutMs: Math.max(1, left()) }, context);
    if (outcome.isError) return outcome;
    if (typeof next !== 'string' || next === '' || next === cursor || chars > context.maxResultChars) break;
    cursor = next;
    if (left() <= 0) {
      return failure(`MCP server '${name}' did not finish its list of ${key} within ${callMs / 1000} s.`);
    }
  }
  return fitting(
    (chars) => {
      const shown = withinChars(items, chars);
      return { [key]: shown, ...(shown.length < items.length ? { left_out: items.length - shown.length } : {}) };
    },
    { maxChars: context.maxResultChars },
  );
}

const shownFields = ['uri', 'name', 'description', 'mimeType', 'arguments'];

function named(item: unknown): object {
  return Object.fromEntries(
    Object.entries(item ?? {}).filter(([field, value]) => shownFields.includes(field) && value !== undefined),
  );
}

function withinChars(items: readonly object[], chars: number): readonly object[] {
  let used = 0;
  return items.filter((item) => {
    used += JSON.stringify(item).length + 1;
    return used <= chars;
  });
}

const contentsShape = z.array(
  z.looseObject({ text: z.string().optional().catch(undefined), blob: z.string().optional().catch(undefined) }),
);

function readResource(
  given: Readonly<Record<string, unknown>>,
  { maxResultChars: maxChars }: ToolContext<unknown>,
): ToolOutcome {
  const read = contentsShape.safeParse(given['contents']);
  if (!read.success) return failure('the server answered with something that is no resource');
  const text = read.data
    .map(({ text: written, blob }) => written ?? `[binary data, ${Buffer.byteLength(blob ?? '', 'base64')} bytes]`)
    .join('\n');
  return fitting((chars) => ({ result: cut(text, chars) }), { maxChars });
}

const maxRoleChars = 20;
/** A message with less room than this would be nothing but the note that it was cut. */
const leastMessageChars = 200;
const messagesShape = z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() }));

function readPrompt(
  given: Readonly<Record<string, unknown>>,
  { maxResultChars: maxChars }: ToolContext<unknown>,
): ToolOutcome {
  const read = messagesShape.safeParse(given['messages']);
  if (!read.success) return failure('the server answered with something that is no prompt');
  const { description } = given;
  const shown = read.data.slice(0, Math.max(1, Math.floor(maxChars / leastMessageChars)));
  return fitting(
    (chars) => ({
      messages: shown.map(({ role, content }) => ({
        role: role.slice(0, maxRoleChars),
        content: cut(plainContent(content), chars / shown.length),
      })),
      ...(shown.length < read.data.length ? { left_out: read.data.length - shown.length } : {}),
      ...(typeof description === 'string' ? { description: cut(description, chars / 4) } : {}),
    }),
    { maxChars },
  );
}

const blockShape = z.looseObject({ type: z.string(), text: z.string().optional().catch(undefined) });

function plainContent(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks
    .map((block) => {
      const read = blockShape.safeParse(block);
      return read.success ? (read.data.text ?? `[${read.data.type}]`) : '';
    })
    .join('\n');
}
