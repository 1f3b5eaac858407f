/** Histories to shorten, and a context engine whose summaries a test gives. */
import { Compressor, type CompressorOptions, type CompressorSettings } from '../../src/agent/context/compressor.ts';
import type { ContextEngine, ContextRequest, Fit } from '../../src/agent/context/engine.ts';
import { pairCalls } from '../../src/agent/history.ts';
import { type HistoryMessage, textOf } from '../../src/llm/message.ts';
import type { SideRequest } from '../../src/llm/side-task.ts';
import { defaultCompression } from './support.ts';

export const summary = `## Goal\nBuild the parser.\n## Constraints & Preferences\nNone.\n## Completed Actions\nLexer written in src/lexer.ts.\n## Active State\nParser.\n## Blocked\nNothing.\n## Key Decisions\nHand-written.\n## Relevant Files\nsrc/lexer.ts\n## Historical Remaining Work\nWrite tests.\n## Critical Context\nNone.`;

export interface Setup {
  readonly engine: ContextEngine;
  /** Windows that were to be kept, by model. */
  readonly keptWindows: [string, number][];
  readonly requests: SideRequest[];
  readonly prompt: (index: number) => string;
  now: number;
}

export function setUp(
  answer: (question: SideRequest, index: number) => string | Error = () => summary,
  settings: Partial<CompressorSettings> = {},
  windows: Pick<CompressorOptions, 'isUntold' | 'learn'> = {},
): Setup {
  const requests: SideRequest[] = [];
  const keptWindows: [string, number][] = [];
  const setup: Setup = {
    requests,
    keptWindows,
    prompt: (index) => textOf(requests[index]?.messages[0]?.content ?? ''),
    now: 0,
    engine: new Compressor({
      settings: { ...defaultCompression, ...settings },
      side: {
        contextLength: async () => undefined,
        ask: async (_task, question) => {
          requests.push(question);
          const text = answer(question, requests.length - 1);
          if (text instanceof Error) throw text;
          return { text, toolCalls: [], provider: 'p', model: 'm' };
        },
      },
      clock: { now: () => setup.now, sleep: async () => undefined },
      redact: (text) => text.replaceAll('sk-secret-1234', '***'),
      ...windows,
      keepWindow: async ({ model }, tokens) => void keptWindows.push([model, tokens]),
    }),
  };
  return setup;
}

export const user = (content: string): HistoryMessage => ({ role: 'user', content });
export const says = (content: string): HistoryMessage => ({ role: 'assistant', content });

/** A turn of work: a question, a call with its result, an answer. */
export function work(index: number, size = 400): HistoryMessage[] {
  const id = `call_${index}`;
  const args = JSON.stringify({ path: `/work/file-${index}.ts` });
  return [
    user(`question ${index}: ${'q'.repeat(size / 4)}`),
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'read_file', arguments: args } }],
    },
    { role: 'tool', tool_call_id: id, tool_name: 'read_file', content: `result ${index} ${'r'.repeat(size)}` },
    says(`answer ${index}`),
  ];
}

export const long = (turns: number, size?: number): HistoryMessage[] =>
  Array.from({ length: turns }, (_, index) => work(index, size)).flat();

export function request(history: readonly HistoryMessage[], more: Partial<ContextRequest> = {}): ContextRequest {
  return {
    history,
    repaired: () => pairCalls(history),
    sessionId: 'the-session',
    systemPromptChars: 4000,
    tools: [],
    contextLength: 8000,
    overflow: false,
    provider: 'custom',
    model: 'm',
    baseUrl: 'http://x/v1',
    ...more,
  };
}

export const fit = (
  engine: ContextEngine,
  history: readonly HistoryMessage[],
  more: Partial<ContextRequest> = {},
): Promise<Fit> => engine.fit(request(history, more), new AbortController().signal);
