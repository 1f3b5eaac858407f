/** A small conversation that nobody watches: a side task with a few tools, for so many steps. */
import type { Policy } from '../../agent/policy.ts';
import { systemClock } from '../../agent/clock.ts';
import { headless } from '../../agent/human.ts';
import { type FinishedCall, parseArguments, runToolCalls } from '../../agent/run-tool-calls.ts';
import type { Tool } from '../../agent/tool.ts';
import { createToolbox, type Toolbox } from '../../agent/toolbox.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Message, ToolCall, ToolMessage } from '../../llm/message.ts';
import type { ToolSchema } from '../../llm/protocol.ts';
import type { SideModels, SideTask } from '../../llm/side-task.ts';

export interface QuietRun<Services> {
  readonly side: SideModels;
  readonly task: SideTask;
  /** System message first; a copy, that the run adds to. */
  readonly messages: readonly Message[];
  /** What it may use. */
  readonly tools: readonly Tool<Services>[];
  readonly services: Services;
  /** The one policy stands before these calls too. */
  readonly policy: Policy;
  readonly sessionId: string;
  readonly maxSteps: number;
  /**
   * What the model is offered, when it shall be the same as in the conversation, so that the provider's cache holds;
   * calls of other tools than `tools` are refused. Default: `tools`.
   */
  readonly offered?: readonly ToolSchema[];
  /** Told of every call that was answered, also when the run fails later. */
  readonly onFinished?: (call: FinishedCall) => void;
  readonly maxTokens?: number;
  readonly temperature?: number;
}

export interface QuietResult {
  /** In order. */
  readonly calls: readonly FinishedCall[];
  /** What the model said last. */
  readonly text: string;
}

/** Ends when the model calls no more tools. Rejects as `SideModels.ask` does; calls that ran before stay done. */
export async function runQuietly<Services>(run: QuietRun<Services>, signal: AbortSignal): Promise<QuietResult> {
  const { side, task, services, policy, sessionId, maxTokens, temperature } = run;
  const toolbox = createToolbox(run.tools, services);
  const messages: Message[] = [...run.messages];
  const finished: FinishedCall[] = [];
  let text = '';
  for (let step = 0; step < run.maxSteps; step += 1) {
    const answer = await side.ask(
      task,
      {
        messages,
        tools: run.offered ?? toolbox.schemas,
        ...(maxTokens === undefined ? {} : { maxTokens }),
        ...(temperature === undefined ? {} : { temperature }),
      },
      signal,
    );
    text = answer.text;
    if (answer.toolCalls.length === 0) break;
    messages.push({ role: 'assistant', content: text === '' ? null : text, tool_calls: answer.toolCalls });
    const known = answer.toolCalls.filter((call) => problemOf(call, toolbox) === undefined);
    const results = new Map<string, ToolMessage>();
    const events = runToolCalls(known, {
      toolbox,
      policy,
      human: headless,
      services,
      clock: systemClock,
      sessionId,
      taskId: sessionId,
      signal,
      interruptMessage: () => undefined,
      onFinished: (call) => {
        finished.push(call);
        run.onFinished?.(call);
      },
      keep: (message) => {
        results.set(message.tool_call_id, message);
        return Promise.resolve();
      },
    });
    // Nobody looks at the events, but the calls only run while they are read.
    for await (const _ of events);
    for (const call of answer.toolCalls) messages.push(results.get(call.id) ?? refused(call, toolbox));
    if (signal.aborted) break;
  }
  return { calls: finished, text };
}

/** Why a call is not run. Arguments that were cut off are not guessed at. */
function problemOf<Services>({ function: called }: ToolCall, toolbox: Toolbox<Services>): string | undefined {
  if (toolbox.find(called.name) === undefined) {
    return `'${called.name}' cannot be used here. Only: ${toolbox.names.join(', ')}.`;
  }
  return isJsonObject(parseArguments(called.arguments)) ? undefined : 'The arguments are not a JSON object.';
}

function refused<Services>(call: ToolCall, toolbox: Toolbox<Services>): ToolMessage {
  const error = problemOf(call, toolbox) ?? 'The call was not run.';
  return { role: 'tool', tool_call_id: call.id, tool_name: call.function.name, content: JSON.stringify({ error }) };
}
