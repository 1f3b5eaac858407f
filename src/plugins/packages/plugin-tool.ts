/** A tool of a plug-in, as a session has it. */
import * as z from 'zod';
import { coerceArguments } from '../../agent/coerce.ts';
import type { ConversationDoor } from '../../agent/conversation-door.ts';
import { hookSource } from '../../agent/hooks.ts';
import { mendSchema } from '../../agent/mend-schema.ts';
import { answer, failure, type PreparedCall, type Tool, type ToolContext, type ToolOutcome } from '../../agent/tool.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import { isOutside, type Source } from '../../llm/source.ts';
import { contactWith, type Judgement } from '../../safety/finding.ts';
import { withDeadline } from '../deadline.ts';
import type { PluginConversations } from '../conversations.ts';
import type { ToolChecks } from './tool-checks.ts';
import { callable, type Callable, jsonObject } from './values.ts';

/** What of a session's services a plug-in's tool is judged by. */
export interface JudgedBy {
  readonly state: {
    readonly hosts: { readonly entered: () => readonly Source[] };
    /** Of the conversation. */
    readonly door?: ConversationDoor;
  };
}

/** What `registerTool` takes. */
export const toolRegistration = z.looseObject({
  name: z.string().regex(/^[a-zA-Z][\w-]{0,63}$/, 'must be a name of letters, digits, _ and -'),
  toolset: z.string().min(1),
  /** A JSON Schema of the arguments, or a whole function of the chat-completions API. */
  schema: jsonObject,
  handler: callable,
  check_fn: callable.optional(),
  description: z.string().optional(),
  emoji: z.string().optional(),
  override: z.boolean().default(false),
});
export type ToolRegistration = z.infer<typeof toolRegistration>;

export function pluginTool(
  by: string,
  registration: ToolRegistration,
  { conversations, checks }: { readonly conversations: PluginConversations; readonly checks: ToolChecks },
): Tool<JudgedBy> {
  const { name, toolset, handler, check_fn, emoji = '🧩' } = registration;
  const { schema, description } = described(registration);
  return {
    name,
    toolset,
    description,
    emoji,
    traits: {},
    schema,
    guidance: () => undefined,
    available: () => check_fn === undefined || checks.pass(check_fn),
    prepare(raw) {
      const args = coerceArguments(raw, schema);
      if (!isJsonObject(args)) return { problem: 'they must be an object' };
      const missing = requiredOf(schema).filter((key) => args[key] === undefined);
      if (missing.length > 0) return { problem: `${missing.join(', ')} must be given` };
      return prepared({ name, by, args, handler, conversations });
    },
  };
}

/** A handler that never ends must not be the end of a turn that nobody watches. */
const longestMs = 1_800_000;

interface Prepared {
  readonly name: string;
  readonly by: string;
  readonly args: JsonObject;
  readonly handler: Callable;
  readonly conversations: PluginConversations;
}

function prepared({ name, by, args, handler, conversations }: Prepared): PreparedCall<JudgedBy> {
  return {
    args,
    preview: Object.values(args).map(String).join(' ').slice(0, 200),
    parallel: () => 'never',
    edits: () => [],
    sources: () => [hookSource(by)],
    judge: async (services) => judge({ name, by, args }, services),
    refusal: (message) => ({ error: message }),
    render: () => ({}),
    execute: async (context) => await execute({ args, handler, conversations }, context),
  };
}

/**
 * The owner has enabled it, so it runs without a question until text from outside has entered that it did not bring
 * itself: nobody knows what that text could do with it.
 */
function judge({ name, by, args }: Pick<Prepared, 'name' | 'by' | 'args'>, { state }: JudgedBy): Judgement {
  const shown = `${name} ${JSON.stringify(args)}`;
  const own = hookSource(by).name;
  const foreign = state.hosts.entered().some((source) => isOutside(source) && source.name !== own);
  if (!foreign) return { shown, findings: [] };
  const finding = contactWith(by, 'outside');
  return { shown, findings: [{ ...finding, key: `uses ${by}`, description: `uses the tool ${name} of the ${by}` }] };
}

async function execute(
  { args, handler, conversations }: Pick<Prepared, 'args' | 'handler' | 'conversations'>,
  context: ToolContext<JudgedBy>,
): Promise<ToolOutcome> {
  const { signal, abandoned, sessionId, taskId, callId, services } = context;
  const place = { signal, session_id: sessionId, task_id: taskId, tool_call_id: callId };
  const { door } = services.state;
  let isOver = false;
  const inCall = door === undefined ? undefined : doorOfCall(door, context, () => isOver);
  const work = () =>
    withDeadline(longestMs, async () => await handler(structuredClone(args), place), { signal: abandoned });
  const given = await (inCall === undefined ? work() : conversations.within(inCall, work)).finally(() => {
    isOver = true;
  });
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? null);
  const parsed = parseJson(text);
  const isError = isJsonObject(parsed) && Boolean(parsed['error']);
  const outcome = isError ? failure({}) : answer({});
  return { ...outcome, content: text };
}

/** Tools that the handler calls are calls of its own call, until it has ended. */
function doorOfCall(
  door: ConversationDoor,
  { tools, signal: ends }: ToolContext<JudgedBy>,
  isOver: () => boolean,
): ConversationDoor {
  return {
    sessionId: door.sessionId,
    models: door.models,
    async callTool(call) {
      if (isOver()) return await door.callTool(call);
      if (tools === undefined) {
        return {
          text: JSON.stringify({ error: 'a tool that was called by another one cannot call more' }),
          sources: [],
        };
      }
      return await tools.call(call.name, call.args, AbortSignal.any([ends, call.signal]));
    },
  };
}

function described({ name, schema, description }: ToolRegistration): { schema: JsonObject; description: string } {
  const { parameters, description: own } = schema;
  const text = description ?? (typeof own === 'string' ? own : name);
  return { schema: mendSchema(isJsonObject(parameters) ? parameters : schema), description: text };
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
}
