/** Runs the calls of one assistant message; results come back in call order whatever finishes first. */
import pLimit from 'p-limit';
import { errorMessage } from '../lib/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';
import { type Content, type ToolCall, type ToolMessage, textOf } from '../llm/message.ts';
import type { Clock } from './clock.ts';
import { createEventChannel } from './event-channel.ts';
import type { AgentEvent } from './events.ts';
import { cleanContent, cleanText } from './history.ts';
import type { Human } from './human.ts';
import type { Policy, PolicyDecision } from './policy.ts';
import type { FilePath, PreparedCall, Tool, ToolContext, ToolResult } from './tool.ts';
import { maxParallelTools, mayRunInParallel } from './tool-schedule.ts';
import type { Toolbox } from './toolbox.ts';

/** How long a tool may take to settle after an interrupt before its result is given up. */
const interruptGraceMs = 1_500;

export interface ToolRun<Services> {
  readonly toolbox: Toolbox<Services>;
  readonly policy: Policy;
  readonly human: Human;
  readonly services: Services;
  readonly clock: Clock;
  readonly sessionId: string;
  readonly taskId: string;
  readonly signal: AbortSignal;
  /** The new user message that caused the interrupt, if one did. */
  interruptMessage(): string | undefined;
  /** Called for every call that was answered, as soon as it was. */
  onFinished(call: FinishedCall): void;
  /** Text to append to the result of a call that ran, for the model only. Must not reject. */
  toolAddition?(call: FinishedCall): Promise<string | undefined>;
  /** Stores a result; called in call order, and awaited before a later call of a sequential batch starts. */
  keep(message: ToolMessage, last: boolean): Promise<void>;
}

export interface FinishedCall {
  readonly name: string;
  /** Parsed, or as the model wrote them when they do not fit. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Files that it was to change. */
  readonly edits: readonly FilePath[];
  readonly outcome: 'ok' | 'error' | 'refused' | 'cancelled';
  readonly result: string;
}

interface Outcome {
  readonly content: Content;
  readonly outcome: FinishedCall['outcome'];
}

interface ReadyCall<Services> {
  readonly call: ToolCall;
  readonly tool: Tool<Services>;
  /** Arguments before they were checked. */
  readonly written: JsonObject;
  /** Undefined when the arguments do not fit; `problem` then says why. */
  readonly prepared: PreparedCall<Services> | undefined;
  readonly problem: string | undefined;
}

/** Every call is answered by exactly one result, also after an interrupt or a failure. Rejects only when `keep` does. */
export async function* runToolCalls<Services>(
  calls: readonly ToolCall[],
  run: ToolRun<Services>,
): AsyncGenerator<AgentEvent, void> {
  const ready = calls.map((call) => makeReady(call, run.toolbox));
  const workers = mayRunInParallel(ready.map(({ prepared }) => prepared?.parallel(run.services)))
    ? maxParallelTools
    : 1;
  const limit = pLimit(workers);
  const asking = pLimit(1);
  const channel = createEventChannel();
  const emit = (event: AgentEvent): void => channel.push(event);
  const keepInOrder = inCallOrder(calls.length, run);
  const work = Promise.all(
    ready.map((entry, index) =>
      limit(async () => keepInOrder(index, await runOne(entry, run, emit, (ask) => asking(ask)))),
    ),
  ).finally(() => channel.end());
  // Handled below; without this an early failure would count as unhandled while events are still read.
  work.catch(() => undefined);
  yield* channel.read();
  await work;
}

/** Hands results to `keep` as soon as all results before them are kept. */
function inCallOrder(count: number, run: Pick<ToolRun<unknown>, 'keep'>) {
  const finished = new Map<number, ToolMessage>();
  let next = 0;
  let keeping: Promise<void> = Promise.resolve();
  const keepReady = async (): Promise<void> => {
    for (let message = finished.get(next); message !== undefined; message = finished.get(next)) {
      next += 1;
      await run.keep(message, next === count);
    }
  };
  return async (index: number, message: ToolMessage): Promise<void> => {
    finished.set(index, message);
    keeping = keeping.then(keepReady);
    await keeping;
  };
}

function makeReady<Services>(call: ToolCall, toolbox: Toolbox<Services>): ReadyCall<Services> {
  const tool = toolbox.find(call.function.name);
  if (tool === undefined) throw new Error(`tool ${call.function.name} is not in the toolbox`);
  const parsed = parseArguments(call.function.arguments);
  const written = isJsonObject(parsed) ? parsed : {};
  const prepared = tool.prepare(written);
  return 'problem' in prepared
    ? { call, tool, written, prepared: undefined, problem: prepared.problem }
    : { call, tool, written, prepared, problem: undefined };
}

/** Parsed call arguments; blank text means no arguments, `undefined` means that they are not JSON. */
export function parseArguments(text: string) {
  return text.trim() === '' ? {} : parseJson(text);
}

async function runOne<Services>(
  entry: ReadyCall<Services>,
  run: ToolRun<Services>,
  emit: (event: AgentEvent) => void,
  oneAtATime: <T>(ask: () => Promise<T>) => Promise<T>,
): Promise<ToolMessage> {
  const { call, tool } = entry;
  const args = entry.prepared?.args ?? entry.written;
  const edits = entry.prepared?.edits(run.services) ?? [];
  const identity = { callId: call.id, name: tool.name };
  if (run.signal.aborted) return finish(cancelledBeforeStart(tool.name, run));
  emit({ type: 'tool_started', ...identity, emoji: tool.emoji, preview: previewOf(entry), args });
  const started = run.clock.now();
  const outcome = await outcomeOf(entry, run, emit, oneAtATime);
  return finish(outcome, run.clock.now() - started);

  async function finish({ content, outcome }: Outcome, durationMs = 0): Promise<ToolMessage> {
    const bounded = limitContent(content, tool.maxResultChars);
    const result = textOf(bounded);
    emit({ type: 'tool_finished', ...identity, outcome, durationMs, result });
    const finished = { name: tool.name, args, edits, outcome, result };
    run.onFinished(finished);
    const ran = entry.prepared !== undefined && (outcome === 'ok' || outcome === 'error');
    const addition = ran ? await run.toolAddition?.(finished) : undefined;
    return { role: 'tool', tool_call_id: call.id, tool_name: tool.name, content: withText(bounded, addition) };
  }
}

function withText(content: Content, text: string | undefined): Content {
  if (text === undefined) return content;
  return typeof content === 'string' ? content + text : [...content, { type: 'text', text, origin: 'tool' }];
}

function previewOf(entry: ReadyCall<unknown>): string {
  try {
    return entry.prepared?.preview ?? '';
  } catch {
    // A preview is decoration: a tool that cannot make one still runs.
    return '';
  }
}

function cancelledBeforeStart(name: string, run: Pick<ToolRun<unknown>, 'interruptMessage'>): Outcome {
  const content =
    run.interruptMessage() === undefined
      ? `[Tool execution cancelled — ${name} was skipped due to user interrupt]`
      : `[Tool execution skipped — ${name} was not started. User sent a new message]`;
  return { content, outcome: 'cancelled' };
}

async function outcomeOf<Services>(
  entry: ReadyCall<Services>,
  run: ToolRun<Services>,
  emit: (event: AgentEvent) => void,
  oneAtATime: <T>(ask: () => Promise<T>) => Promise<T>,
): Promise<Outcome> {
  const { call, tool, prepared } = entry;
  if (prepared === undefined) {
    return failure(`Invalid arguments for ${tool.name}: ${entry.problem}. Correct them and call again.`);
  }
  try {
    const decision = await decide(tool.name, prepared, run, oneAtATime);
    if (decision.kind === 'refuse') return { content: JSON.stringify(decision.result), outcome: 'refused' };
    if (run.signal.aborted) return cancelledBeforeStart(tool.name, run);
    const context: ToolContext<Services> = {
      signal: run.signal,
      sessionId: run.sessionId,
      taskId: run.taskId,
      callId: call.id,
      human: run.human,
      progress: (text) => emit({ type: 'tool_progress', callId: call.id, name: tool.name, text }),
      services: run.services,
    };
    const result = await settleSoonAfter(run, prepared.execute(context));
    if (result === undefined) {
      return {
        content: `[Tool execution cancelled — ${tool.name} was interrupted; its outcome is unknown]`,
        outcome: 'cancelled',
      };
    }
    return { content: contentOf(result), outcome: looksFailed(result) ? 'error' : 'ok' };
  } catch (error) {
    const kind = error instanceof Error ? error.name : typeof error;
    return failure(`Tool execution failed: ${kind}: ${errorMessage(error)}`);
  }
}

/** Asks the policy and, where it wants one, the person. Whatever goes wrong on the way means no. */
async function decide<Services>(
  tool: string,
  prepared: PreparedCall<Services>,
  run: ToolRun<Services>,
  oneAtATime: <T>(ask: () => Promise<T>) => Promise<T>,
): Promise<Exclude<PolicyDecision, { kind: 'ask' }>> {
  const call = { tool, args: prepared.args, sessionId: run.sessionId, humanPresent: run.human.present };
  return await oneAtATime(async () => {
    const decision = await run.policy.judge(call, run.signal);
    if (decision.kind !== 'ask') return decision;
    const choice = run.signal.aborted ? 'deny' : await run.human.approve(decision.request, run.signal);
    const settled = await decision.settle(choice);
    return settled.kind === 'ask' ? refusal('the policy did not come to a decision') : settled;
  });
}

function refusal(reason: string): Extract<PolicyDecision, { kind: 'refuse' }> {
  return { kind: 'refuse', reason, result: { error: `Blocked: ${reason}. Do not retry.` } };
}

/** The tool's result; `undefined` when it had not settled within the grace time after an interrupt. */
async function settleSoonAfter(
  run: Pick<ToolRun<unknown>, 'signal' | 'clock'>,
  work: Promise<ToolResult>,
): Promise<ToolResult | undefined> {
  const { signal } = run;
  const done = new AbortController();
  const givenUp = new Promise<undefined>((resolve) => {
    const giveUp = async (): Promise<void> => {
      await run.clock.sleep(interruptGraceMs, done.signal);
      resolve(undefined);
    };
    if (signal.aborted) void giveUp();
    else signal.addEventListener('abort', () => void giveUp(), { once: true, signal: done.signal });
  });
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    done.abort();
  }
}

function failure(error: string): Outcome {
  return { content: JSON.stringify({ error }), outcome: 'error' };
}

function contentOf(result: ToolResult): Content {
  if (typeof result === 'string') return cleanText(result);
  if ('parts' in result && Array.isArray(result.parts)) return cleanContent(result.parts);
  return cleanText(JSON.stringify(result));
}

/** What surfaces mark as failed: an `error`, `success: false`, or a command that exited with another code than 0. */
function looksFailed(result: ToolResult): boolean {
  const value = typeof result === 'string' ? parseJson(result) : result;
  if (typeof value !== 'object' || value === null) return false;
  if ('error' in value && value.error !== null && value.error !== undefined && value.error !== '') return true;
  if ('success' in value && value.success === false) return true;
  return 'exit_code' in value && typeof value.exit_code === 'number' && value.exit_code !== 0;
}

function limitContent(content: Content, maxChars: number): Content {
  if (typeof content !== 'string' || content.length <= maxChars) return content;
  const limit = maxChars.toLocaleString('en-US');
  return `${content.slice(0, maxChars)}\n\n[Truncated: tool response was ${content.length.toLocaleString('en-US')} chars, exceeding the ${limit} char limit]`;
}
