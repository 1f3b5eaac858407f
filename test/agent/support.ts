/** A real agent on a real wire: tools for tests, a policy that allows, a transcript in memory, a clock that does not wait. */
import { resolve } from 'node:path';
import * as z from 'zod';
import type { Agent } from '../../src/agent/agent.ts';
import type { Clock } from '../../src/agent/clock.ts';
import { Compressor, type CompressorSettings } from '../../src/agent/context/compressor.ts';
import type { ContextEngine } from '../../src/agent/context/engine.ts';
import { type AgentOptions, Conversation, type ModelPorts, type TurnLimits } from '../../src/agent/conversation.ts';
import { defineTool } from '../../src/agent/define-tool.ts';
import type { AgentEvent, TurnResult } from '../../src/agent/events.ts';
import { type Human, headless } from '../../src/agent/human.ts';
import { policyDeadlineMs } from '../../src/agent/permission.ts';
import type { Policy } from '../../src/agent/policy.ts';
import type { ToolPorts } from '../../src/agent/run-tool-calls.ts';
import type { ConversationHooks } from '../../src/agent/turn-hooks.ts';
import type { Tool, ToolDefinition, ToolOutcome } from '../../src/agent/tool.ts';
import type { Transcript } from '../../src/agent/transcript.ts';
import { type HistoryMessage, sourcesOf } from '../../src/llm/message.ts';
import type { ModelEvent, ModelRequest, ModelRoute } from '../../src/llm/protocol.ts';
import { createChatCompletions } from '../../src/llm/protocols/chat-completions.ts';
import { mergeSources } from '../../src/llm/source.ts';
import type { ModelServer } from '../fakes/model-server.ts';
import { keyOf } from '../llm/protocols/ask.ts';

export const allowAll: Policy = { decide: () => Promise.resolve({ kind: 'allow', staged: false }) };

export interface MemoryTranscript extends Transcript {
  /** What was stored in the session that is written to now, in order. */
  messages: HistoryMessage[];
  /** The sessions that compactions left behind. */
  readonly earlier: HistoryMessage[][];
}

/** Keeps what was stored; each compaction goes on in a session of its own. */
function memoryTranscript(sessionId = '20260101_000000_abcdef'): MemoryTranscript {
  let ids = 0;
  return {
    sessionId,
    messages: [],
    earlier: [],
    get sources() {
      return mergeSources(...[...this.earlier.flat(), ...this.messages].map(sourcesOf));
    },
    async append(message) {
      this.messages.push(message);
      return String((ids += 1));
    },
    async setAsideLast() {
      const last = this.messages.at(-1);
      if (last?.role === 'user') this.messages[this.messages.length - 1] = { ...last, setAside: true };
    },
    recordUsage: async () => undefined,
    async compact(history) {
      this.earlier.push(this.messages);
      this.messages = [...history];
      Object.assign(this, { sessionId: `${sessionId}_${this.earlier.length}` });
      return { sessionId: this.sessionId, history, systemPrompt: 'You are a test.' };
    },
  };
}

/** Never waits; remembers how long it was asked to. */
export function instantClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => performance.now(),
    sleep: async (ms, signal) => {
      // The grace time after an interrupt is a real wait in these tests, and a policy's deadline never comes.
      if (ms === 1_500) return await new Promise((done) => setTimeout(done, ms, undefined).unref());
      if (ms === policyDeadlineMs) return await new Promise((done) => signal.addEventListener('abort', () => done()));
      if (!signal.aborted) waits.push(ms);
    },
  };
}

type AnyArguments = z.ZodObject<{}, z.core.$loose>;

/** A tool whose behaviour the test gives; it takes any object. An object with an `error` is a failure. */
export function testTool(
  name: string,
  execute: (args: Record<string, unknown>, signal: AbortSignal) => unknown,
  more: 'safe' | 'never' | Partial<ToolDefinition<object, AnyArguments>> = {},
): Tool<object> {
  return defineTool<object, AnyArguments>({
    name,
    toolset: 'test',
    description: `The ${name} tool.`,
    parameters: z.looseObject({}),
    parallel: 'never',
    display: { preview: () => name },
    sources: () => [{ from: 'tool', name }],
    execute: async (args, context) => outcomeOf(await execute(args, context.signal)),
    ...(typeof more === 'string' ? { parallel: more } : more),
  });
}

/** A tool that answers `x` and tells how often it ran. */
export function countedTool(name: string): Tool<object> & { readonly ran: () => number } {
  let ran = 0;
  return Object.assign(
    testTool(name, () => {
      ran += 1;
      return 'x';
    }),
    { ran: () => ran },
  );
}

/** A tool that is to change the file under `path`, or always `files`; relative paths start at `/work`. */
export function editingTool(
  name: string,
  execute: () => { readonly value: object; readonly changedFiles?: readonly string[] },
  files?: readonly string[],
): Tool<object> {
  return defineTool({
    name,
    toolset: 'test',
    description: `The ${name} tool.`,
    parameters: z.object({ path: z.string() }),
    parallel: 'never',
    edits: ({ path }) => (files ?? [path]).map((file) => ({ path: file, resolved: resolve('/work', file) })),
    display: { preview: ({ path }) => path },
    execute: async () => {
      const { value, changedFiles } = execute();
      return { ...outcomeOf(value), ...(changedFiles === undefined ? {} : { details: { changedFiles } }) };
    },
  });
}

function outcomeOf(result: unknown): ToolOutcome {
  const isError = typeof result === 'object' && result !== null && 'error' in result;
  return { content: typeof result === 'string' ? result : JSON.stringify(result), isError };
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

type Said =
  | { readonly text: string }
  | { readonly calls: readonly { readonly name: string; readonly args?: object }[] };

/** A model in this process, for conversations of thousands of requests; it counts four characters as a token. */
export function routeWithin(contextLength: number, respond: (request: ModelRequest) => Said): ModelRoute {
  let calls = 0;
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const said = respond(request);
    const input = Math.ceil(JSON.stringify([request.messages, request.tools]).length / 4);
    const usage = { input, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    if ('text' in said) {
      yield { type: 'text', text: said.text };
      yield { type: 'done', message: { role: 'assistant', content: said.text }, stopReason: 'stop', usage };
      return;
    }
    const tool_calls = said.calls.map(({ name, args = {} }) => ({
      id: `call_${(calls += 1)}`,
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(args) },
    }));
    yield { type: 'done', message: { role: 'assistant', content: null, tool_calls }, stopReason: 'tool_calls', usage };
  }
  return {
    provider: 'custom',
    model: 'test-model',
    baseUrl: 'http://models.test/v1',
    apiMode: 'in_process',
    protocol: { stream },
    contextLength,
    streaming: true,
  };
}

export interface TestAgentOptions extends Partial<Omit<ModelPorts, 'retries'>> {
  readonly history?: readonly HistoryMessage[];
  readonly tools?: readonly Tool<object>[] | (() => readonly Tool<object>[]);
  readonly policy?: Policy;
  readonly human?: Human;
  readonly addition?: ToolPorts<object>['addition'];
  readonly systemPrompt?: () => Promise<string>;
  readonly maxSteps?: number;
  readonly limits?: TurnLimits;
  /** Of requests. */
  readonly retries?: number;
  readonly contextEngine?: ContextEngine;
  readonly transcript?: MemoryTranscript;
  readonly clock?: Clock;
  readonly hooks?: ConversationHooks;
}

export function agentOn(
  server: ModelServer,
  options: TestAgentOptions = {},
): { agent: Agent; transcript: MemoryTranscript; clock: ReturnType<typeof instantClock> } {
  return agentWith({ route: routeTo(server), ...options });
}

export function agentWith({ route, ...options }: TestAgentOptions & { readonly route: ModelRoute }): {
  agent: Agent;
  transcript: MemoryTranscript;
  clock: ReturnType<typeof instantClock>;
} {
  const { tools = [], systemPrompt = () => Promise.resolve('You are a test.'), addition, retries = 3 } = options;
  const { history, contextEngine, maxSteps, fallbacks, reasoningEffort } = options;
  const transcript = options.transcript ?? memoryTranscript();
  const clock = instantClock();
  const full: AgentOptions<object> = {
    transcript,
    models: {
      route,
      retries: { requests: retries, streams: 3 },
      ...(fallbacks === undefined ? {} : { fallbacks }),
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    },
    prompt: { system: systemPrompt },
    tools: {
      list: () => (typeof tools === 'function' ? tools() : tools),
      policy: options.policy ?? allowAll,
      human: options.human ?? headless,
      services: {},
      taskId: 'test',
      ...(addition === undefined ? {} : { addition }),
    },
    ...(history === undefined ? {} : { history }),
    ...(contextEngine === undefined ? {} : { contextEngine }),
    ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
    limits: { ...options.limits, ...(maxSteps === undefined ? {} : { maxSteps }) },
    clock: options.clock ?? clock,
    random: () => 0,
  };
  return { agent: new Conversation(full), transcript, clock };
}

/** `compression` of a fresh configuration. */
export const defaultCompression: CompressorSettings = {
  enabled: true,
  threshold: 0.5,
  targetRatio: 0.2,
  protectFirst: 3,
  protectLast: 20,
  codexAutoraise: true,
};

/** What a summariser may answer with. */
const usableSummary =
  '## Goal\nPort the program to TypeScript.\n## Completed Actions\nThe first parts were ported and tested.\n## Historical Remaining Work\nGo on with the next part.';

/** The context engine as it is configured by default, with a summariser that the test gives. */
export function compressorWith(
  summarise: (prompt: string) => string = () => usableSummary,
  clock: Clock = { now: () => 0, sleep: async () => undefined },
): Compressor {
  return new Compressor({
    settings: defaultCompression,
    side: {
      contextLength: async () => undefined,
      ask: async (_task, { messages }) => ({
        text: summarise(contentOf(messages[0])),
        toolCalls: [],
        provider: 'p',
        model: 'm',
      }),
    },
    clock,
    redact: (text) => text,
  });
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

/** The line for people that a turn ended with, if it did. */
export const errorOf = (result: TurnResult): string => ('error' in result ? result.error : '');

/** What a surface that streams has shown in the end. */
export function shownText(events: readonly AgentEvent[]): string {
  let [whole, current] = ['', ''];
  for (const event of events) {
    if (event.type === 'text_delta') current += event.text;
    if (event.type === 'text_reset') current = '';
    if (event.type === 'text_end') [whole, current] = [whole + current, ''];
  }
  return whole + current;
}

export const rolesOf = (messages: readonly HistoryMessage[]): string[] => messages.map((message) => message.role);

/** The text of a message, of ours or as it came over the wire; other content as JSON. */
export function contentOf(message: { readonly content: unknown } | undefined): string {
  return typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content);
}

/** A call as the fake model makes it. */
export const call = (name: string, args: string | object = {}, id?: string) => ({
  name,
  arguments: args,
  ...(id === undefined ? {} : { id }),
});
