/** Conversations that delegate, with a model that answers by whose request it is. */
import * as z from 'zod';
import { defineTool } from '../../../src/agent/define-tool.ts';
import { answer, type Tool } from '../../../src/agent/tool.ts';
import { harmless } from '../../../src/safety/finding.ts';
import type { RecordedRequest, Step } from '../../fakes/model-server.ts';
import { type Chat, textOf } from '../support.ts';

/** True for a request of a sub-agent. */
export function isChild({ body }: RecordedRequest): boolean {
  return textOf(body.messages[0]).includes('You are a sub-agent');
}

/** What the sub-agent of a request was asked to do. */
export function goalOf({ body }: RecordedRequest): string {
  return textOf(body.messages.find(({ role }) => role === 'user'));
}

/** A model that calls `delegate_task` with the arguments once, and then says what it was told. */
export function delegating(args: object, child: (goal: string, request: RecordedRequest) => Step | Promise<Step>) {
  let called = false;
  return async (request: RecordedRequest): Promise<Step> => {
    if (isChild(request)) return await child(goalOf(request), request);
    if (called) return { text: 'Thank you.' };
    called = true;
    return { toolCalls: [{ name: 'delegate_task', arguments: args }] };
  };
}

export interface Told {
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly [key: string]: unknown;
}

/** The result of the last call in a conversation, as the model reads it. */
export function toldIn({ session }: Chat): Told {
  const message = session.agent.history.findLast(({ role }) => role === 'tool');
  const content = message?.content ?? '';
  return JSON.parse(typeof content === 'string' ? content : '{}') as Told;
}

const parameters = z.object({});

/** A tool of an MCP server, whose text is the server's. */
export function serverTool(name: string): Tool<unknown> {
  return defineTool<unknown, typeof parameters>({
    name,
    toolset: 'mcp-tea',
    description: 'Ask the tea server.',
    parameters,
    display: { preview: () => name },
    judge: () => harmless,
    sources: () => [{ from: 'server', name: 'tea' }],
    parallel: 'safe',
    execute: () => Promise.resolve(answer({ steeped: true })),
  });
}
