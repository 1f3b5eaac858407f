/** A real agent on a real wire: tools for tests, a policy that allows, a transcript in memory, a clock that does not wait. */
import { resolve } from 'node:path';
import * as z from 'zod';
import type { Agent } from '../../src/agent/agent.ts';
import type { Clock } from '../../src/agent/clock.ts';
import { type AgentOptions, createAgent } from '../../src/agent/create-agent.ts';
import { defineTool } from '../../src/agent/define-tool.ts';
import type { AgentEvent, TurnResult } from '../../src/agent/events.ts';
import type { Policy } from '../../src/agent/policy.ts';
import type { Tool } from '../../src/agent/tool.ts';
import type { Transcript } from '../../src/agent/transcript.ts';
import type { HistoryMessage } from '../../src/llm/message.ts';
import type { ModelRoute } from '../../src/llm/protocol.ts';
import { createChatCompletions } from '../../src/llm/protocols/chat-completions.ts';
import type { ModelServer } from '../fakes/model-server.ts';
import { keyOf } from '../llm/protocols/ask.ts';

const allowAll: Policy = { judge: () => Promise.resolve({ kind: 'allow' }) };

/** Keeps what was stored, in order. */
export function memoryTranscript(): Transcript & { readonly messages: HistoryMessage[] } {
  const messages: HistoryMessage[] = [];
  return {
    messages,
    append: async (message) => void messages.push(message),
    recordUsage: async () => undefined,
    dropLast: async () => void messages.pop(),
  };
}

/** Never waits; remembers how long it was asked to. */
export function instantClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => performance.now(),
    sleep: async (ms, signal) => {
      // The grace time after an interrupt is a real wait in these tests: it must not end a tool at once.
      if (ms === 1_500) return await new Promise((resolve) => setTimeout(resolve, ms, undefined).unref());
      if (!signal.aborted) waits.push(ms);
    },
  };
}

/** A tool whose behaviour the test gives; it takes any object. */
export function testTool(
  name: string,
  execute: (args: Record<string, unknown>, signal: AbortSignal) => unknown,
  parallel: 'safe' | 'never' = 'never',
): Tool<object> {
  return defineTool({
    name,
    toolset: 'test',
    description: `The ${name} tool.`,
    parameters: z.looseObject({}),
    parallel,
    preview: () => name,
    execute: async (args, context) => {
      const result = await execute(args, context.signal);
      return typeof result === 'string' ? result : JSON.stringify(result);
    },
  });
}

/** A tool that is to change the file under `path`, or always `files`; relative paths start at `/work`. */
export function editingTool(name: string, execute: () => object, files?: readonly string[]): Tool<object> {
  return defineTool({
    name,
    toolset: 'test',
    description: `The ${name} tool.`,
    parameters: z.object({ path: z.string() }),
    parallel: 'never',
    edits: ({ path }) => (files ?? [path]).map((file) => ({ path: file, resolved: resolve('/work', file) })),
    preview: ({ path }) => path,
    execute: async () => ({ ...execute() }),
  });
}

export function routeTo(server: ModelServer, model = 'test-model', provider = 'custom'): ModelRoute {
  return {
    provider,
    model,
    baseUrl: server.url,
    apiMode: 'chat_completions',
    protocol: createChatCompletions({
      provider,
      baseUrl: server.url,
      authorizer: keyOf('test-key', 'chat_completions'),
    }),
    streaming: true,
  };
}

export function agentOn(
  server: ModelServer,
  options: Partial<AgentOptions<object>> = {},
): { agent: Agent; transcript: ReturnType<typeof memoryTranscript>; clock: ReturnType<typeof instantClock> } {
  const transcript = memoryTranscript();
  const clock = instantClock();
  const agent = createAgent<object>({
    sessionId: '20260101_000000_abcdef',
    route: routeTo(server),
    systemPrompt: () => Promise.resolve('You are a test.'),
    tools: [],
    services: {},
    policy: allowAll,
    transcript,
    clock,
    random: () => 0,
    ...options,
  });
  return { agent, transcript, clock };
}

/** Runs a turn to its end and keeps its events. */
export async function collect(
  turn: AsyncGenerator<AgentEvent, TurnResult>,
  onEvent?: (event: AgentEvent) => void,
): Promise<{ events: AgentEvent[]; result: TurnResult }> {
  const events: AgentEvent[] = [];
  for (;;) {
    const next = await turn.next();
    if (next.done === true) return { events, result: next.value };
    events.push(next.value);
    onEvent?.(next.value);
  }
}

export const rolesOf = (messages: readonly HistoryMessage[]): string[] => messages.map((message) => message.role);

/** The text of a message, of ours or as it came over the wire; other content as JSON. */
export function contentOf(message: { readonly content: unknown } | undefined): string {
  return typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content);
}
