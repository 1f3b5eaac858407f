/** Runs the calls of one assistant message; results come back in call order whatever finishes first. */
import pLimit from 'p-limit';
import { type ToolCall, type ToolMessage, textOf } from '../llm/message.ts';
import { mergeSources, type Source } from '../llm/source.ts';
import { type CallHooks, type HookedCall, withRule } from './call-hooks.ts';
import { CallHuman } from './call-human.ts';
import type { Clock } from './clock.ts';
import { EventChannel } from './event-channel.ts';
import { InnerCalls, isQuestion } from './inner-calls.ts';
import type { AgentEvent, CallOutcome } from './events.ts';
import type { Human } from './human.ts';
import { type Allowed, type ApprovalWatch, askPermission } from './permission.ts';
import type { Finding } from '../safety/finding.ts';
import type { GuardedCall, LoopGuard } from './loop-guard.ts';
import type { Policy, PolicyCall } from './policy.ts';
import { hooked, makeReady, type ReadyCall, withMiddleware } from './ready-call.ts';
import { cleaned, cleanedText, limited, quoted, withText } from './result-text.ts';
import {
  failure,
  type FilePath,
  type PreparedCall,
  type Tool,
  type ToolContext,
  type ToolDetails,
  type ToolOutcome,
} from './tool.ts';
import { runInOrder } from './tool-schedule.ts';
import { thrownText } from './thrown-text.ts';
import type { Toolbox } from './toolbox.ts';
import { waitFor } from './wait-for.ts';

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
  /**
   * Told where the text comes from that a call has brought a program which still runs: it counts from then on, before any
   * result is kept. Must not throw or wait.
   */
  readonly entered?: (sources: readonly Source[]) => void;
  /** Text to append to the result of a call that ran, for the model only, with where it comes from. Must not reject. */
  addition?(call: FinishedCall): Promise<{ readonly text: string; readonly sources: readonly Source[] } | undefined>;
}

export interface CallDeadlines {
  /** How long calls that run side by side may take; 0 or absent: as long as they want. */
  readonly sideBySideMs?: number | undefined;
  /** How long a call may take to end after an interrupt; default: a second and a half. */
  readonly graceMs?: number | undefined;
}

export interface ToolRun<Services> extends CallDeadlines {
  readonly ports: ToolPorts<Services>;
  readonly toolbox: Toolbox<Services>;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Over the tools' own limits, where the model's window is small. */
  readonly maxResultChars?: number;
  /** The new user message that caused the interrupt, if one did. */
  interruptMessage(): string | undefined;
  readonly guard: Pick<LoopGuard, 'block' | 'note'>;
  /** Absent where nobody listens. */
  readonly hooks?: CallHooks | undefined;
  /** For calls that another call makes: under its id a person is asked. */
  readonly madeBy?: string;
  /** Called for every call that was answered, as soon as it was. */
  onFinished(call: FinishedCall): void;
  /** Stores a result; called in call order, and awaited before a later call that waits for this one starts. */
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
  /** It had begun, and nobody knows what became of it. */
  readonly isUnknown?: true;
  /** The loop guard's answer, which it must not count. */
  readonly isBlocked?: true;
  readonly isBlockedByHook?: true;
}

/** Every call is answered by exactly one result, also after an interrupt or a failure. Rejects only when `keep` does. */
export async function* runToolCalls<Services>(
  calls: readonly ToolCall[],
  run: ToolRun<Services>,
): AsyncGenerator<AgentEvent, void> {
  const ready: ReadyCall<Services>[] = [];
  for (const call of calls) ready.push(await withMiddleware(makeReady(call, run.toolbox), run.hooks));
  const channel = new EventChannel();
  const stop = new AbortController();
  const runner = new CallRunner({ ...run, signal: AbortSignal.any([run.signal, stop.signal]) }, channel);
  const results = new ResultsInOrder(run, channel);
  const running: Promise<void>[] = [];
  const { services } = run.ports;
  const work = runInOrder(ready, {
    // Asked when its turn comes: a relative path means another file once a command has changed the directory.
    parallel: ({ prepared }) => orElse(() => prepared?.parallel(services), 'never'),
    start(entry, index, isAlone) {
      const kept = runner.run(entry, isAlone).then((message) => results.put(index, message));
      running.push(kept);
      return kept;
    },
  }).finally(() => channel.end());
  // Handled below; without this an early failure would count as unhandled while events are still read.
  work.catch(() => undefined);
  try {
    yield* channel.read();
    await work;
  } finally {
    // Whoever reads may stop early, and storing may fail: nothing of this message runs on after it.
    stop.abort();
    await Promise.allSettled([work]);
    await Promise.allSettled(running);
  }
}

/** Runs one call that stands in no message. Throws for a tool that is not there. */
export async function runLoneCall<Services>(
  call: ToolCall,
  run: ToolRun<Services>,
  hear: (event: AgentEvent) => void,
): Promise<ToolMessage> {
  const entry = await withMiddleware(makeReady(call, run.toolbox), run.hooks);
  return await new CallRunner<Services>(run, { push: hear }).run(entry, true);
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

/** Takes one call from its preview to its result. Questions to the person are asked one at a time. */
class CallRunner<Services> {
  readonly #run: ToolRun<Services>;
  readonly #channel: Pick<EventChannel, 'push'>;
  /** A policy decides about one call after the other, because an answer to one may hold for the next. */
  readonly #deciding = pLimit(1);
  readonly #asking = pLimit(1);
  /** How long each call waited for its permission, which is no time that it ran. */
  readonly #askedMs = new Map<string, number>();
  /** What the policy was asked about, by the id of the call. */
  readonly #decided = new Map<string, PolicyCall>();

  constructor(run: ToolRun<Services>, channel: Pick<EventChannel, 'push'>) {
    this.#run = run;
    this.#channel = channel;
  }

  /** A call that runs alone may take as long as it wants. */
  async run(entry: ReadyCall<Services>, isAlone: boolean): Promise<ToolMessage> {
    const { call, tool } = entry;
    const { clock, signal } = this.#run;
    // Relative paths mean what they mean before the call.
    const edits = orElse(() => entry.prepared?.edits(this.#run.ports.services), undefined) ?? [];
    if (signal.aborted)
      return await this.#finish(entry, this.#cancelledBeforeStart(tool.name), { edits, durationMs: 0 });
    const { written } = entry;
    const args = entry.prepared?.args ?? written;
    const preview = orElse(() => entry.prepared?.preview, undefined) ?? '';
    const { name, emoji } = tool;
    this.#channel.push({ type: 'tool_started', callId: call.id, name, emoji, preview, args, written });
    const started = clock.now();
    const answered = await this.#answer(entry, isAlone ? 0 : (this.#run.sideBySideMs ?? 0));
    const durationMs = clock.now() - started - (this.#askedMs.get(call.id) ?? 0);
    return await this.#finish(entry, answered, { edits, durationMs });
  }

  /** `deadlineMs` 0: none. */
  async #answer(entry: ReadyCall<Services>, deadlineMs: number): Promise<Answered> {
    const { call, tool, prepared } = entry;
    const block = this.#run.guard.block(guarded(entry));
    if (block !== undefined) return { ...failure(block), outcome: 'refused', sources: agent, isBlocked: true };
    if (prepared === undefined) {
      return failed(`Invalid arguments for ${tool.name}: ${entry.problem}. Correct them and call again.`);
    }
    if (this.#run.ports.usable?.(tool) === false) {
      const content = JSON.stringify({ error: `'${tool.name}' cannot be used here.` });
      return { content, outcome: 'refused', sources: agent };
    }
    try {
      const said = await this.#run.hooks?.before(hooked(entry));
      if (this.#run.signal.aborted) return this.#cancelledBeforeStart(tool.name);
      if (said?.kind === 'block') {
        return { ...failure(said.message), outcome: 'refused', sources: said.sources, isBlockedByHook: true };
      }
      const human = this.#humanFor(call.id);
      const { clock } = this.#run;
      const asked = clock.now();
      const permission = await this.#deciding(() => this.#permission(entry, prepared, { human, rule: said?.finding }));
      this.#askedMs.set(call.id, clock.now() - asked);
      if (this.#run.signal.aborted) return this.#cancelledBeforeStart(tool.name);
      if (permission.kind === 'refuse') {
        const content = JSON.stringify(prepared.refusal(permission.message));
        const details = permission.nobodyToAsk === true ? { nobodyToAsk: true } : {};
        return { content, outcome: 'refused', details, sources: agent };
      }
      const abandon = new AbortController();
      const { signal: abandoned } = abandon;
      const signal = AbortSignal.any([this.#run.signal, abandoned]);
      const context = {
        ...this.#context(call, tool, { human, permission }),
        ...this.#others(entry, prepared),
        signal,
        abandoned,
      };
      const execute = () => prepared.execute(context);
      const work = this.#run.hooks?.around(hooked(entry), execute, abandoned) ?? execute();
      const waited = await waitFor(work, { ...this.#run, ...(deadlineMs > 0 ? { deadlineMs } : {}) });
      if ('value' in waited) return { ...waited.value, outcome: waited.value.isError ? 'error' : 'ok' };
      abandon.abort();
      if (waited.givenUp === 'deadline') {
        const seconds = deadlineMs / 1000;
        return { ...failed(`${tool.name} did not end within ${seconds} s; its outcome is unknown`), isUnknown: true };
      }
      const content = `[Tool execution cancelled — ${tool.name} was interrupted; its outcome is unknown]`;
      return { content, outcome: 'cancelled', sources: agent, isUnknown: true };
    } catch (error) {
      return failed(thrownText(error));
    }
  }

  /** `rule`: a person must say yes, whatever else there is against the call. */
  async #permission(
    entry: ReadyCall<Services>,
    prepared: PreparedCall<Services>,
    { human, rule }: { readonly human: Human; readonly rule: Finding | undefined },
  ) {
    const { ports, sessionId, hooks } = this.#run;
    const {
      call: { id },
      tool,
    } = entry;
    const judge = async () => await prepared.judge(ports.services);
    const heard = hooked(entry);
    const call: PolicyCall = {
      tool: tool.name,
      args: prepared.args,
      sessionId,
      callId: id,
      humanPresent: human.present,
      judge: rule === undefined ? judge : async () => withRule(await judge(), rule, heard),
    };
    this.#decided.set(id, call);
    const watch = hooks === undefined ? undefined : watchOf(hooks, heard);
    return await askPermission({ policy: ports.policy, human, call, patience: this.#run, watch });
  }

  #others(outer: ReadyCall<Services>, prepared: PreparedCall<Services>): Pick<ToolContext<Services>, 'tools'> {
    const { madeBy, toolbox, ports } = this.#run;
    const { entered } = ports;
    // Where nobody would hear what they bring there are none.
    if (madeBy !== undefined || entered === undefined) return {};
    const tools = new InnerCalls({
      outer: outer.call.id,
      names: toolbox.names,
      sources: orElse(() => prepared.sources(ports.services), undefined) ?? [unknownSource(outer.tool)],
      entered,
      run: (call, signal) => this.#runFor(outer.call.id, call, signal),
    });
    return { tools };
  }

  /** A call that another call makes. What is added for the model, and warnings to it, would spoil what a program reads. */
  async #runFor(madeBy: string, call: ToolCall, signal: AbortSignal): Promise<ToolMessage> {
    const run = this.#run;
    const ports = { ...run.ports, addition: () => Promise.resolve(undefined) };
    const inner = { ...run, ports, guard: noGuard, madeBy, signal: AbortSignal.any([run.signal, signal]) };
    return await runLoneCall<Services>(call, inner, (event) => isQuestion(event) && this.#channel.push(event));
  }

  #humanFor(id: string): Human {
    const callId = this.#run.madeBy ?? id;
    const emit = (event: AgentEvent): void => this.#channel.push(event);
    return new CallHuman({ human: this.#run.ports.human, callId, patience: this.#run, asking: this.#asking, emit });
  }

  #context(
    call: ToolCall,
    tool: Tool<Services>,
    { human, permission }: { readonly human: Human; readonly permission: Allowed },
  ): Omit<ToolContext<Services>, 'signal' | 'abandoned'> {
    const { ports, sessionId } = this.#run;
    return {
      sessionId,
      taskId: ports.taskId,
      callId: call.id,
      human,
      staged: permission.staged,
      ...(permission.approved === undefined ? {} : { approved: permission.approved }),
      ...(permission.approvedBy === undefined ? {} : { approvedBy: permission.approvedBy }),
      ...(permission.rights === undefined ? {} : { rights: permission.rights }),
      ...(permission.runs === undefined ? {} : { runs: permission.runs }),
      maxResultChars: this.#maxResultChars(tool),
      progress: (text) => this.#channel.push({ type: 'tool_progress', callId: call.id, name: tool.name, text }),
      services: ports.services,
    };
  }

  #maxResultChars({ traits }: Tool<Services>): number {
    const own = traits.maxResultChars ?? defaultMaxResultChars;
    return Math.min(own, this.#run.maxResultChars ?? own);
  }

  async #finish(
    entry: ReadyCall<Services>,
    answered: Answered,
    { edits, durationMs }: { readonly edits: readonly FilePath[]; readonly durationMs: number },
  ): Promise<ToolMessage> {
    const { call, tool, prepared } = entry;
    const { ports, hooks } = this.#run;
    const { outcome, details = {}, goesOn, isBlockedByHook = false } = answered;
    const heard = { content: answered.content, outcome, durationMs, isBlockedByHook };
    const changed = await hooks?.after(hooked(entry), heard);
    const content = limited(cleaned(changed?.content ?? answered.content), this.#maxResultChars(tool));
    const result = textOf(content);
    const ran = prepared !== undefined && (outcome === 'ok' || outcome === 'error');
    const rendering = ran ? orElse(() => prepared.render({ ...answered, isError: outcome === 'error' }), {}) : {};
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
    const decided = this.#decided.get(call.id);
    if (decided !== undefined) {
      await ports.policy.ended?.(decided, { ...details, outcome, ...(goesOn === undefined ? {} : { goesOn }) });
    }
    const warning = answered.isBlocked === true ? undefined : this.#run.guard.note(finished, guarded(entry));
    const addition = ran ? await ports.addition?.(finished) : undefined;
    const known = answered.sources ?? orElse(() => prepared?.sources(ports.services), undefined);
    const sources = known ?? [unknownSource(tool)];
    const isQuoted = tool.traits.quotesOthers === true && ran && this.#run.madeBy === undefined;
    return {
      role: 'tool',
      tool_call_id: call.id,
      tool_name: tool.name,
      content: withText(
        isQuoted ? quoted(content, tool.name) : content,
        cleanedText(addition?.text ?? '') + (warning === undefined ? '' : `\n\n${warning}`),
      ),
      ...(answered.isUnknown === true ? { kind: 'unknown' } : {}),
      ...(ran || answered.isUnknown === true ? {} : { effect: 'none' }),
      sources: mergeSources(sources, addition?.sources ?? [], changed === undefined ? [] : [changed.source]),
    };
  }

  #cancelledBeforeStart(name: string): Answered {
    const content =
      this.#run.interruptMessage() === undefined
        ? `[Tool execution cancelled — ${name} was skipped due to user interrupt]`
        : `[Tool execution skipped — ${name} was not started. User sent a new message]`;
    return { content, outcome: 'cancelled', sources: agent };
  }
}

const agent: readonly Source[] = [{ from: 'agent' }];

/** Who repeats a call in a program repeats the program, which is counted. */
export const noGuard: Pick<LoopGuard, 'block' | 'note'> = { block: () => undefined, note: () => undefined };

function watchOf(hooks: CallHooks, call: HookedCall): ApprovalWatch {
  return {
    asking: (request) => hooks.asking(call, request),
    answered: (request, answer) => hooks.answered(call, request, answer),
  };
}

function unknownSource({ name }: Pick<Tool<never>, 'name'>): Source {
  return { from: 'unknown', name };
}

function guarded<Services>({ tool, prepared, written }: ReadyCall<Services>): GuardedCall {
  const { idempotent = false, learns } = tool.traits;
  return { name: tool.name, args: prepared?.args ?? written, idempotent, keepsMemory: learns === 'memory' };
}

/** What a tool says about a call is not worth the turn: one that cannot say it still gets its answer to the model. */
function orElse<T>(describe: () => T, otherwise: T): T {
  try {
    return describe();
  } catch {
    // The call itself shows what is wrong with the tool, or nothing is.
    return otherwise;
  }
}

function failed(error: string): Answered {
  return { ...failure(error), outcome: 'error', sources: agent };
}
