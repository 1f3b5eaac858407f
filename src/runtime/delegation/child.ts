/** One sub-agent at work: opens its conversation, runs its one turn, and says what came of it. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnInput } from '../../agent/agent.ts';
import type { AgentEvent, TurnResult } from '../../agent/events.ts';
import type { HookPayload, Hooks } from '../../agent/hooks.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorMessage } from '../../lib/errors.ts';
import { formatTime } from '../../lib/format-time.ts';
import type { Log } from '../../lib/log.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { CalledModel, Usage } from '../../llm/protocol.ts';
import { mergeSources, type Source } from '../../llm/source.ts';
import type { DelegatedTask } from '../../tools/delegation/delegation.ts';
import type { OpenSession } from '../open-session-view.ts';
import { type LiveTranscript, oneLine } from './live-transcript.ts';
import { outcomeOf, type Outcome, type ResultEntry, type TracedCall } from './result-entry.ts';
import type { SubAgent, SubAgentEvent } from './sub-agents.ts';

/** Which one it is. */
export interface ChildPlace {
  readonly delegationId: string;
  readonly index: number;
  readonly count: number;
  readonly depth: number;
  readonly inBackground: boolean;
}

export interface ChildParts extends ChildPlace {
  readonly task: DelegatedTask;
  /** Where the words of the task come from: what its parent has before it. */
  readonly sources: readonly Source[];
  /** For its conversation, given who it is. */
  open(id: string): Promise<OpenSession>;
  /** Dollars; undefined where the price is not known. */
  price(usage: Usage, on: CalledModel): Promise<number | undefined>;
  readonly transcript: LiveTranscript | undefined;
  /** 0: no limit. */
  readonly timeoutMs: number;
  readonly homePath: string;
  readonly redact: (text: string) => string;
  readonly log: Log;
  readonly tell: (event: SubAgentEvent) => void;
  readonly hooks: Hooks;
  /** Whose sub-agent it is, as hooks are told. */
  readonly parent: () => HookPayload;
}

/** What is stopped gets so long to settle; then it is counted as stopped, and its end is nobody's concern. */
const graceMs = 1000;
const maxTraced = 100;
/** How long a result waits for hooks that hear of it. */
const hooksMs = 30_000;

export class Child {
  readonly id: string;
  readonly #parts: ChildParts;
  readonly #startedAt = Date.now();
  readonly #stop = new AbortController();
  readonly #changed = new Set<string>();
  #trace: TracedCall[] = [];
  /** Bytes of the arguments of the calls that run. */
  readonly #running = new Map<string, { readonly name: string; readonly bytes: number; readonly since: number }>();
  #session: OpenSession | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #model = '';
  #thought = '';
  #requests = 0;
  #toolCalls = 0;
  #usd = 0;
  #timedOut = false;
  #movedAt = Date.now();
  #hasEnded = false;

  constructor(parts: ChildParts) {
    this.#parts = parts;
    this.id = `sa-${parts.index}-${randomBytes(4).toString('hex')}`;
  }

  get view(): SubAgent {
    const { delegationId, index, count, depth, task, inBackground } = this.#parts;
    const { goal, role } = task;
    return {
      id: this.id,
      delegationId,
      index,
      count,
      depth,
      goal,
      role,
      model: this.#model,
      startedAt: this.#startedAt,
      inBackground,
      doing: [...this.#running.values()].at(-1)?.name ?? '',
      toolCalls: this.#toolCalls,
      tokens: this.#session?.agent.tokens.total_tokens ?? 0,
      usd: this.#usd,
    };
  }

  /** With those that work for it; none when it has ended. */
  get all(): readonly SubAgent[] {
    if (this.#hasEnded) return [];
    return [this.view, ...(this.#session?.background.agents.list() ?? [])];
  }

  /** Its conversation, while it is open. */
  get session(): OpenSession | undefined {
    return this.#session;
  }

  /** Files that it changed, absolute. */
  get changedFiles(): ReadonlySet<string> {
    return this.#changed;
  }

  /** Where what it says comes from. */
  get sources(): readonly Source[] {
    return mergeSources([{ from: 'agent' }], this.#parts.sources, this.#session?.sources ?? []);
  }

  /** When something last came of it, and since when a tool has run; in milliseconds since 1970. */
  get pulse(): { readonly movedAt: number; readonly inToolSince: number | undefined } {
    return { movedAt: this.#movedAt, inToolSince: [...this.#running.values()][0]?.since };
  }

  end(): void {
    this.#stop.abort();
  }

  steer(text: string): boolean {
    return !this.#hasEnded && this.#session?.agent.steer(text) === true;
  }

  /** Resolves when nothing of it is left, which may be after its result. */
  async gone(): Promise<void> {
    await this.#work;
  }

  /** Runs it, once. Never rejects. */
  async run(): Promise<ResultEntry> {
    const { timeoutMs, transcript, tell, index } = this.#parts;
    const timeout =
      timeoutMs > 0
        ? setTimeout(() => {
            this.#timedOut = true;
            this.#stop.abort();
          }, timeoutMs)
        : undefined;
    const work = this.#turn();
    const close = () => this.#close();
    this.#work = work.then(close, close);
    let outcome: Outcome;
    try {
      outcome = await Promise.race([work, this.#givenUp()]);
    } catch (error) {
      this.#parts.log.warning(`a sub-agent (${this.id}) could not work: ${errorMessage(error)}`, error);
      outcome = { status: 'error', summary: null, exit_reason: 'error', error: errorMessage(error) };
    }
    clearTimeout(timeout);
    this.#hasEnded = true;
    const ended = this.#timedOut ? this.#outOfTime(outcome) : outcome;
    transcript?.end(ended);
    await transcript?.settled();
    const seconds = Math.round((Date.now() - this.#startedAt) / 10) / 100;
    tell({
      type: 'subagent_finished',
      agent: this.view,
      status: ended.status,
      seconds,
      changed: [...this.#changed],
    });
    await this.#tellHooks(ended);
    const { status, summary, exit_reason, error, diagnostic_path } = ended;
    const tokens = this.#session?.agent.tokens;
    const redact = (text: string): string => this.#parts.redact(text);
    return {
      task_index: index,
      status,
      summary: summary === null ? null : redact(summary),
      api_calls: this.#requests,
      duration_seconds: seconds,
      model: this.#model,
      exit_reason,
      tokens: { input: tokens?.prompt_tokens ?? 0, output: tokens?.completion_tokens ?? 0 },
      tool_trace: this.#trace,
      ...(transcript === undefined ? {} : { live_transcript: transcript.path }),
      ...(error === undefined ? {} : { error: redact(error) }),
      ...(diagnostic_path === undefined ? {} : { diagnostic_path }),
    };
  }

  /** Hooks of an end get some time of their own: whoever stopped it waits for nobody. */
  async #tellHooks({ status, summary }: Outcome): Promise<void> {
    const { hooks, parent, task, redact } = this.#parts;
    const { parent_subagent_id: _its, ...of } = parent();
    const told = () => ({
      ...of,
      child_session_id: this.#session?.id ?? null,
      child_role: task.role,
      child_summary: summary === null ? null : redact(summary),
      child_status: status,
      duration_ms: Date.now() - this.#startedAt,
    });
    await hooks.call('subagent_stop', told, AbortSignal.timeout(hooksMs));
  }

  async #turn(): Promise<Outcome> {
    const { task, sources, tell } = this.#parts;
    const { signal } = this.#stop;
    const session = await this.#parts.open(this.id);
    this.#session = session;
    this.#model = session.agent.route.model;
    session.background.agents.listen((event) => this.#heardBelow(event));
    tell({ type: 'subagent_started', agent: this.view });
    const { hooks, parent } = this.#parts;
    const child = { child_session_id: session.id, child_subagent_id: this.id };
    const told = () => ({ ...parent(), ...child, child_role: task.role, child_goal: task.goal });
    await hooks.call('subagent_start', told, signal);
    const input: TurnInput = { content: task.goal, sources: mergeSources([{ from: 'agent' }], sources) };
    const turn = session.agent.run(input, { signal });
    for (;;) {
      const next = await turn.next();
      if (next.done === true) return this.#outcome(next.value);
      this.#hear(next.value);
    }
  }

  #outcome(result: TurnResult): Outcome {
    this.#requests = result.apiCalls;
    this.#model = result.model;
    return outcomeOf(result);
  }

  async #givenUp(): Promise<Outcome> {
    const { signal } = this.#stop;
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await sleep(graceMs, undefined, { ref: false });
    return {
      status: 'interrupted',
      summary: null,
      exit_reason: 'interrupted',
      error: 'The sub-agent was stopped while a tool ran; the outcome of that is not known.',
    };
  }

  async #close(): Promise<void> {
    try {
      await this.#session?.close('agent_close');
    } catch (error) {
      this.#parts.log.warning(`the conversation of a sub-agent (${this.id}) was not closed well`, error);
    }
  }

  #hear(event: AgentEvent): void {
    const { transcript, tell } = this.#parts;
    this.#movedAt = Date.now();
    transcript?.hear(event);
    switch (event.type) {
      case 'step_started':
        this.#requests += 1;
        return;
      case 'reasoning_delta':
        if (this.#thought.length < 200) this.#thought += event.text;
        return;
      case 'tool_started': {
        this.#tellThought();
        const bytes = Buffer.byteLength(JSON.stringify(event.args));
        this.#running.set(event.callId, { name: event.name, bytes, since: Date.now() });
        this.#toolCalls += 1;
        const { name, emoji, preview } = event;
        return tell({ type: 'subagent_tool', agent: this.view, name, emoji, preview });
      }
      case 'tool_finished':
        this.#trace.push({
          tool: event.name,
          args_bytes: this.#running.get(event.callId)?.bytes ?? 0,
          result_bytes: Buffer.byteLength(event.result),
          status: event.outcome === 'ok' ? 'ok' : 'error',
        });
        if (this.#trace.length > maxTraced) this.#trace = this.#trace.slice(-maxTraced);
        this.#running.delete(event.callId);
        for (const path of event.details.changedFiles ?? []) this.#changed.add(path);
        return;
      case 'usage':
        void this.#count(event.usage, { ...event, baseUrl: this.#session?.agent.route.baseUrl ?? '' });
        return;
      default:
    }
  }

  #heardBelow(event: SubAgentEvent): void {
    if (event.type === 'results_due') return;
    this.#movedAt = Date.now();
    if (event.type === 'subagent_finished') for (const path of event.changed) this.#changed.add(path);
    this.#parts.tell(event);
  }

  #tellThought(): void {
    const text = oneLine(this.#thought, 200);
    this.#thought = '';
    if (text !== '') this.#parts.tell({ type: 'subagent_thought', agent: this.view, text });
  }

  async #count(usage: Usage, on: CalledModel): Promise<void> {
    try {
      this.#usd += (await this.#parts.price(usage, on)) ?? 0;
    } catch (error) {
      this.#parts.log.warning('what a sub-agent costs is not known', error);
    }
  }

  /** What it did until then, for whoever wants to know why it took so long. */
  #outOfTime({ summary }: Outcome): Outcome {
    const { timeoutMs, homePath, task, redact, log } = this.#parts;
    const error = `The sub-agent did not end within ${timeoutMs / 1000} s (delegation.child_timeout_seconds).`;
    const outcome = { status: 'timeout', summary, exit_reason: 'timeout', error } as const;
    const folder = join(homePath, 'logs');
    const time = formatTime('%Y%m%d_%H%M%S', new Date());
    const path = join(folder, `subagent-timeout-${this.#session?.id ?? this.id}-${time}.log`);
    const lines = [
      error,
      `goal: ${oneLine(task.goal, 500)}`,
      `model: ${this.#model}`,
      `model requests: ${this.#requests}`,
      `tool calls: ${this.#toolCalls}`,
      `running when it was stopped: ${[...this.#running.values()].map(({ name }) => name).join(', ') || 'no tool'}`,
      'calls that ended:',
      ...this.#trace.map(
        ({ tool, status, args_bytes, result_bytes }) => `  ${tool} ${status} (${args_bytes} → ${result_bytes} bytes)`,
      ),
    ];
    try {
      makeDirectories(folder, 0o700);
      writeFileAtomic(path, redact(`${lines.join('\n')}\n`));
      return { ...outcome, diagnostic_path: path };
    } catch (trouble) {
      log.warning('why a sub-agent took too long was not written down', trouble);
      return outcome;
    }
  }
}
