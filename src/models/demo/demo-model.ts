/**
 * The demo model: answers offline and by rules, and really uses the tools it is offered, so that everything around a
 * model can be tried before one is set up. The same request always gets the same answer.
 */
import { createHash } from 'node:crypto';
import { type AssistantMessage, type Message, textOf } from '../../llm/message.ts';
import { ModelError } from '../../llm/model-error.ts';
import type { ModelEvent, ModelRequest, Protocol, Usage } from '../../llm/protocol.ts';
import { greeting } from './greeting.ts';
import { describeResults } from './describe-results.ts';
import { planCall } from './plan-call.ts';

const demoNote =
  'This is the offline demo model, which only knows a few phrases. `hermes setup` sets up a real one; ' +
  'where you began with `npm start`, it is `npm start -- setup`.';

export function createDemoModel(): Protocol {
  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const message = answer(request);
      for (const text of pieces(message.content ?? '')) {
        stopIfAborted(signal);
        yield { type: 'text', text };
      }
      for (const [index, call] of (message.tool_calls ?? []).entries()) {
        yield { type: 'tool_call_started', index, name: call.function.name };
      }
      stopIfAborted(signal);
      const stopReason = message.tool_calls === undefined ? 'stop' : 'tool_calls';
      yield {
        type: 'done',
        message: { ...message, finish_reason: stopReason },
        usage: usageOf(request, message),
        stopReason,
      };
    },
  };
}

function answer({ messages, tools }: ModelRequest): AssistantMessage {
  const last = messages.at(-1);
  if (last?.role === 'tool') return say(describeResults(messages));
  const asked = last?.role === 'user' ? textOf(last.content) : '';
  if (asked.startsWith('[System:')) return say('I stop here; the results so far are above.');
  const title = tools.length === 0 ? titleOf(asked) : undefined;
  if (title !== undefined) return { role: 'assistant', content: title };
  const plan = planCall(asked, new Set(tools.map(({ name }) => name)));
  if (plan === undefined) return say(greeting(tools.map(({ name }) => name)));
  return {
    role: 'assistant',
    content: `(demo model) ${plan.says}`,
    tool_calls: [
      {
        id: callId(messages),
        type: 'function',
        function: { name: plan.tool, arguments: JSON.stringify(plan.arguments) },
      },
    ],
  };
}

/** A conversation is named by the words it begins with, when that is what is asked. */
function titleOf(asked: string): string | undefined {
  const said = /^=+\nUser: (.+)$/m.exec(asked)?.[1];
  return said?.split(/\s+/).slice(0, 7).join(' ');
}

function say(text: string): AssistantMessage {
  return { role: 'assistant', content: `${text}\n\n${demoNote}` };
}

/** Unlike in every history, and the same for the same one. */
function callId(messages: readonly Message[]): string {
  return `call_${createHash('sha256').update(JSON.stringify(messages)).digest('hex').slice(0, 12)}`;
}

/** A few words at a time, white space included. */
function pieces(text: string): readonly string[] {
  return text.match(/(?:\S+\s*){1,3}|\s+/g) ?? [];
}

/** About four characters a token. */
function usageOf({ messages, tools }: ModelRequest, message: AssistantMessage): Usage {
  const input = Math.ceil(JSON.stringify([messages, tools]).length / 4);
  const output = Math.ceil(JSON.stringify([message.content, message.tool_calls]).length / 4);
  return { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
}

function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', 'demo via demo: interrupted');
}
