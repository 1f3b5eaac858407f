/** Runs the calls of one assistant message; results come back in call order whatever finishes first. */
import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { errorMessage } from '../lib/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';
import { type Content, type ToolCall, type ToolMessage, textOf } from '../llm/message.ts';
import { mergeSources, type Source } from '../llm/source.ts';
import type { Clock } from './clock.ts';
import { EventChannel } from './event-channel.ts';
import type { AgentEvent, CallOutcome } from './events.ts';
import { cleanText, mapText, withoutSteeringMark } from './history.ts';
import type { Human } from './human.ts';
import type { Policy, PolicyDecision } from './policy.ts';
import {
  failure,
  type FilePath,
  type PreparedCall,
  type Tool,
  type ToolContext,
  type ToolDetails,
  type ToolOutcome,
  type ToolRendering,
} from './tool.ts';
import { maxParallelTools, mayRunInParallel } from './tool-schedule.ts';
import type { Toolbox } from './toolbox.ts';

/** How long a tool may take to settle after an interrupt before its result is given up. */
const interruptGraceMs = 1_500;
const defaultMaxResultChars = 100_000;

/** What tools run with, the same for all turns of an agent. */
export interface ToolPorts<Services> {
  readonly policy: Policy;
  readonly human: Human;
  readonly services: Services;
  /** Isolates sandboxes between tasks. */
  readonly taskId: string;
  /** Whether a tool that is offered may be used; default: all may. */
  usable?(tool: Pick<Tool<never>, 'name' | 'toolset'>): boolean;
  /** Text to append to the result of a call that ran, for the model only, with where it comes from. Must not reject. */
  addition?(call: FinishedCall): Promise<{ readonly text: string; readonly sources: readonly Source[] } | undefined>;
}

export interface ToolRun<Services> {
  readonly ports: ToolPorts<Services>;
  readonly toolbox: Toolbox<Services>;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The new user message that caused the interrupt, if one did. */
  interruptMessage(): string | undefined;
  /** Called for every call that was answered, as soon as it was. */
  onFinished(call: FinishedCall): void;
  /** Stores a result; called in call order, and awaited before a later call of a sequential batch starts. */
  keep(message: ToolMessage): Promise<AgentEvent>;
}

export interface FinishedCall {
  readonly name: string;
  /** Parsed, or as the model wrote them when they do not fit. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Files that it was to change. */
  readonly edits: readonly FilePath[];
  readonly outcome: CallOutcome;
  readonly details: ToolDetails;
  readonly result: string;
}

/** A call that was answered, by its tool or in its place. */
interface Answered extends Omit<ToolOutcome, 'isError'> {
  readonly outcome: CallOutcome;
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
  const together = mayRunInParallel(ready.map(({ prepared }) => prepared?.parallel(run.ports.services)));
  const limit = pLimit(together ? maxParallelTools : 1);
  const channel = new EventChannel();
  const runner = new CallRunner(run, channel);
  const results = new ResultsInOrder(run, channel);
  const work = Promise.all(
    ready.map((entry, index) => limit(async () => results.put(index, await runner.run(entry)))),
  ).finally(() => channel.end());
  // Handled below; without this an early failure would count as unhandled while events are still read.
  work.catch(() => undefined);
  yield* channel.read();
  await work;
}

/** Hands results to `keep` as soon as all results before them are kept. */
class ResultsInOrder {
  readonly #run: Pick<ToolRun<never>, 'keep'>;
  readonly #channel: EventChannel;
  readonly #finished = new Map<number, ToolMessage>();
  #next = 0;
  #keeping: Promise<void> = Promise.resolve();

  constructor(run: Pick<ToolRun<never>, 'keep'>, channel: EventChannel) {
    this.#run = run;
    this.#channel = channel;
  }

  async put(index: number, message: ToolMessage): Promise<void> {
    this.#finished.set(index, message);
    this.#keeping = this.#keeping.then(() => this.#keepReady());
    await this.#keeping;
  }

  async #keepReady(): Promise<void> {
    for (
      let message = this.#finished.get(this.#next);
      message !== undefined;
      message = this.#finished.get(this.#next)
    ) {
      this.#finished.delete(this.#next);
      this.#next += 1;
      this.#channel.push(await this.#run.keep(message));
    }
  }
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

/** Takes one call from its preview to its result. Questions to the person are asked one at a time. */
class CallRunner<Services> {
  readonly #run: ToolRun<Services>;
  readonly #channel: EventChannel;
  readonly #asking = pLimit(1);

  constructor(run: ToolRun<Services>, channel: EventChannel) {
    this.#run = run;
    this.#channel = channel;
  }

  async run(entry: ReadyCall<Services>): Promise<ToolMessage> {
    const { call, tool } = entry;
    const { clock, signal } = this.#run;
    // Relative paths mean what they mean before the call.
    const edits = entry.prepared?.edits(this.#run.ports.services) ?? [];
    if (signal.aborted)
      return await this.#finish(entry, this.#cancelledBeforeStart(tool.name), { edits, durationMs: 0 });
    const args = entry.prepared?.args ?? entry.written;
    const preview = previewOf(entry);
    this.#channel.push({ type: 'tool_started', callId: call.id, name: tool.name, emoji: tool.emoji, preview, args });
    const started = clock.now();
    const answered = await this.#answer(entry);
    return await this.#finish(entry, answered, { edits, durationMs: clock.now() - started });
  }

  async #answer(entry: ReadyCall<Services>): Promise<Answered> {
    const { tool, prepared } = entry;
    if (prepared === undefined) {
      return failed(`Invalid arguments for ${tool.name}: ${entry.problem}. Correct them and call again.`);
    }
    if (this.#run.ports.usable?.(tool) === false) {
      const content = JSON.stringify({ error: `'${tool.name}' cannot be used here.` });
      return { content, outcome: 'refused', sources: [{ from: 'agent' }] };
    }
    try {
      const decision = await this.#asking(() => this.#decide(entry, prepared));
      if (decision.kind === 'refuse') {
        const content = JSON.stringify(prepared.refusal(decision.message));
        return { content, outcome: 'refused', sources: [{ from: 'agent' }] };
      }
      if (this.#run.signal.aborted) return this.#cancelledBeforeStart(tool.name);
      const outcome = await this.#settleSoon(prepared.execute(this.#context(entry.call, tool.name, decision.staged)));
      if (outcome !== undefined) return { ...outcome, outcome: outcome.isError ? 'error' : 'ok' };
      const content = `[Tool execution cancelled — ${tool.name} was interrupted; its outcome is unknown]`;
      return { content, outcome: 'cancelled', sources: [{ from: 'agent' }] };
    } catch (error) {
      const kind = error instanceof Error ? error.name : typeof error;
      return failed(`Tool execution failed: ${kind}: ${errorMessage(error)}`);
    }
  }

  /** Asks the policy and, where it wants one, the person. Whatever goes wrong on the way means no. */
  async #decide(
    { call, tool }: ReadyCall<Services>,
    prepared: PreparedCall<Services>,
  ): Promise<Exclude<PolicyDecision, { kind: 'ask' }>> {
    const { ports, sessionId, signal } = this.#run;
    const decision = await ports.policy.decide(
      {
        tool: tool.name,
        args: prepared.args,
        sessionId,
        humanPresent: ports.human.present,
        judge: () => prepared.judge(ports.services),
      },
      signal,
    );
    if (decision.kind !== 'ask') return decision;
    const id = randomUUID();
    this.#channel.push({ type: 'approval_requested', id, callId: call.id, request: decision.request });
    const choice = signal.aborted ? 'deny' : await ports.human.approve(decision.request, signal);
    this.#channel.push({ type: 'approval_answered', id, callId: call.id, choice });
    const settled = await decision.settle(choice);
    if (settled.kind !== 'ask') return settled;
    const reason = 'the policy did not come to a decision';
    return { kind: 'refuse', reason, message: `BLOCKED: ${reason}. Do not retry.` };
  }

  #context(call: ToolCall, name: string, staged: boolean): ToolContext<Services> {
    const { ports, signal, sessionId } = this.#run;
    return {
      signal,
      sessionId,
      taskId: ports.taskId,
      callId: call.id,
      human: this.#askingHuman(call.id),
      staged,
      progress: (text) => this.#channel.push({ type: 'tool_progress', callId: call.id, name, text }),
      services: ports.services,
    };
  }

  /** The person as one call sees them: what the call asks is an event as well. */
  #askingHuman(callId: string): Human {
    const { human } = this.#run.ports;
    const channel = this.#channel;
    return {
      present: human.present,
      approve: (request, signal) => human.approve(request, signal),
      async clarify(question, choices, signal) {
        const id = randomUUID();
        channel.push({ type: 'question_asked', id, callId, question, choices });
        const given = await human.clarify(question, choices, signal);
        channel.push({ type: 'question_answered', id, callId, answered: given !== undefined });
        return given;
      },
      async secret(prompt, signal) {
        const id = randomUUID();
        channel.push({ type: 'question_asked', id, callId, question: prompt, choices: [] });
        const given = await human.secret(prompt, signal);
        channel.push({ type: 'question_answered', id, callId, answered: given !== undefined });
        return given;
      },
    };
  }

  /** The tool's outcome; `undefined` when it had not settled within the grace time after an interrupt. */
  async #settleSoon(work: Promise<ToolOutcome>): Promise<ToolOutcome | undefined> {
    const { signal, clock } = this.#run;
    const done = new AbortController();
    const givenUp = new Promise<undefined>((resolve) => {
      const giveUp = async (): Promise<void> => {
        await clock.sleep(interruptGraceMs, done.signal);
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

  async #finish(
    entry: ReadyCall<Services>,
    answered: Answered,
    { edits, durationMs }: { readonly edits: readonly FilePath[]; readonly durationMs: number },
  ): Promise<ToolMessage> {
    const { call, tool, prepared } = entry;
    const { ports } = this.#run;
    const { outcome, details = {} } = answered;
    const content = limited(cleaned(answered.content), tool.traits.maxResultChars ?? defaultMaxResultChars);
    const result = textOf(content);
    const rendering = renderingOf(prepared, answered);
    this.#channel.push({
      type: 'tool_finished',
      callId: call.id,
      name: tool.name,
      outcome,
      durationMs,
      result,
      details,
      rendering,
    });
    const args = prepared?.args ?? entry.written;
    const finished = { name: tool.name, args, edits, outcome, details, result };
    this.#run.onFinished(finished);
    const ran = prepared !== undefined && (outcome === 'ok' || outcome === 'error');
    const addition = ran ? await ports.addition?.(finished) : undefined;
    const sources = answered.sources ?? prepared?.sources(ports.services) ?? [{ from: 'unknown', name: tool.name }];
    return {
      role: 'tool',
      tool_call_id: call.id,
      tool_name: tool.name,
      content: addition === undefined ? content : withText(content, addition.text),
      sources: mergeSources(sources, addition?.sources ?? []),
    };
  }

  #cancelledBeforeStart(name: string): Answered {
    const content =
      this.#run.interruptMessage() === undefined
        ? `[Tool execution cancelled — ${name} was skipped due to user interrupt]`
        : `[Tool execution skipped — ${name} was not started. User sent a new message]`;
    return { content, outcome: 'cancelled', sources: [{ from: 'agent' }] };
  }
}

function previewOf(entry: ReadyCall<unknown>): string {
  try {
    return entry.prepared?.preview ?? '';
  } catch {
    // A preview is decoration: a tool that cannot make one still runs.
    return '';
  }
}

function renderingOf(prepared: PreparedCall<never> | undefined, answered: Answered): ToolRendering {
  if (prepared === undefined || answered.outcome === 'refused' || answered.outcome === 'cancelled') return {};
  try {
    return prepared.render({ ...answered, isError: answered.outcome === 'error' });
  } catch {
    // As with previews.
    return {};
  }
}

function failed(error: string): Answered {
  return { ...failure(error), outcome: 'error', sources: [{ from: 'agent' }] };
}

function cleaned(content: Content): Content {
  return mapText(content, (text) => withoutSteeringMark(cleanText(text)));
}

function withText(content: Content, text: string): Content {
  return typeof content === 'string' ? content + text : [...content, { type: 'text', text }];
}

function limited(content: Content, maxChars: number): Content {
  if (typeof content !== 'string' || content.length <= maxChars) return content;
  const limit = maxChars.toLocaleString('en-US');
  return `${content.slice(0, maxChars)}\n\n[Truncated: tool response was ${content.length.toLocaleString('en-US')} chars, exceeding the ${limit} char limit]`;
}
