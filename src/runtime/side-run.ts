/** A run beside a conversation: the one loop, with nobody watching, whose requests share the conversation's prefix. */
import type { Conversation } from '../agent/conversation.ts';
import type { AgentEvent, TurnResult } from '../agent/events.ts';
import { headless } from '../agent/human.ts';
import type { Policy } from '../agent/policy.ts';
import type { Learned, Tool } from '../agent/tool.ts';
import type { Toolbox } from '../agent/toolbox.ts';
import type { EphemeralLayers } from '../agent/turn-request.ts';
import { UserError } from '../lib/errors.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { CalledModel, ModelRoute, ReasoningEffort, Usage } from '../llm/protocol.ts';
import type { SideLadder, SideLadders, SideTask } from '../llm/side-task.ts';
import type { Source } from '../llm/source.ts';
import { MemoryTranscript } from '../sessions/memory-transcript.ts';
import type { ToolServices } from '../tools/services.ts';
import { buildAgent } from './build-agent.ts';
import type { RunSettings } from './run-settings.ts';
import type { SessionBooks } from './session-books.ts';

/** What all runs beside one conversation have in common. */
export interface SideRunPorts {
  readonly ladders: SideLadders;
  readonly settings: RunSettings;
  readonly books: Pick<SessionBooks, 'spending' | 'recordSide'>;
  /** The conversation whose cache is shared. */
  readonly sessionId: () => string;
  /** Told what has entered the run with every message of it, and nothing once it is over. Must not throw. */
  readonly entered?: (sources: readonly Source[]) => void;
  /** The model of the conversation and how it is asked: used as it is where the task has no other. */
  readonly main: () => { readonly route: ModelRoute; readonly reasoningEffort: ReasoningEffort | undefined };
}

export interface SideRun {
  readonly task: SideTask;
  /** What the run is asked, behind `history`. */
  readonly request: string;
  /** Default: nothing. */
  readonly history?: readonly HistoryMessage[];
  /** Where `history` comes from. */
  readonly sources?: readonly Source[];
  readonly systemPrompt: () => Promise<string>;
  readonly ephemeral?: () => EphemeralLayers;
  readonly tools: SideRunTools;
  readonly maxSteps: number;
}

export interface SideRunTools {
  /** What the model is offered: the conversation's own list, so that the provider's cache holds. */
  readonly list: readonly Tool<ToolServices>[];
  /** In the order and the bytes of the conversation; default: made from `list`. */
  readonly toolbox?: Toolbox<ToolServices>;
  /** What it may use of them; default: all. */
  readonly usable?: (tool: Pick<Tool<never>, 'name' | 'toolset'>) => boolean;
  readonly services: ToolServices;
  readonly policy: Policy;
}

export interface SideRunResult {
  /** What the model said last. */
  readonly text: string;
  /** What was written to memory and skills, in order. */
  readonly learned: readonly Learned[];
}

/**
 * Resolves when the model calls no more tools or its steps are used up: nobody waits for an account of the work, so none
 * is asked for. Rejects with a `UserError` in the words of the failure, and when `signal` aborts; calls that ran before
 * stay done.
 */
export async function runBeside(ports: SideRunPorts, run: SideRun, signal: AbortSignal): Promise<SideRunResult> {
  const ladder = await ports.ladders.ladder(run.task, signal);
  const deadline = AbortSignal.timeout(ladder.timeoutMs * run.maxSteps);
  const agent = sideAgent(ports, run, ladder);
  const collected = new Collected();
  const input = { content: run.request, kind: 'note', sources: [{ from: 'agent' }] } as const;
  try {
    for await (const event of agent.run(input, { signal: AbortSignal.any([signal, deadline]) })) {
      if (event.type === 'step_started' && event.step > run.maxSteps) break;
      collected.add(event);
    }
  } finally {
    ports.entered?.([]);
  }
  signal.throwIfAborted();
  return collected.resultWithin(ladder.timeoutMs);
}

/** Where the task has no other model, the requests are those of the conversation to the last byte of their prefix. */
function sideAgent(
  ports: SideRunPorts,
  run: SideRun,
  { route, fallbacks, reasoningEffort }: SideLadder,
): Conversation<ToolServices> {
  const main = ports.main();
  const same = isSame(route, main.route);
  const sessionId = ports.sessionId();
  const effort = reasoningEffort ?? (same ? main.reasoningEffort : undefined);
  const settings = effort === undefined ? ports.settings : { ...ports.settings, effortFor: () => effort };
  return buildAgent(settings, {
    transcript: new SideTranscript(run, ports),
    history: run.history ?? [],
    models: { route: same ? main.route : route, fallbacks, cacheKey: sessionId },
    prompt: { system: run.systemPrompt, ...(run.ephemeral === undefined ? {} : { ephemeral: run.ephemeral }) },
    tools: toolPorts(run.tools, sessionId),
    spending: ports.books.spending.beside(),
    // One more than it may take, so that it ends before it is asked to sum up.
    maxSteps: run.maxSteps + 1,
  });
}

/** Keeps nothing but books: what a side run says is not part of the conversation. */
class SideTranscript extends MemoryTranscript {
  readonly #run: Pick<SideRun, 'task'>;
  readonly #books: SideRunPorts['books'];
  readonly #entered: SideRunPorts['entered'];

  constructor(run: SideRun, ports: SideRunPorts) {
    const prompt = run.systemPrompt;
    super({ sessionId: ports.sessionId(), prompt, ...(run.sources === undefined ? {} : { sources: run.sources }) });
    this.#run = run;
    this.#books = ports.books;
    this.#entered = ports.entered;
  }

  override async append(message: HistoryMessage): Promise<string> {
    const id = await super.append(message);
    this.#entered?.(this.sources);
    return id;
  }

  override async recordUsage(usage: Usage, on: CalledModel): Promise<void> {
    await this.#books.recordSide(this.#run.task, usage, on);
  }
}

class Collected {
  readonly #learned: Learned[] = [];
  #end: TurnResult | undefined;

  add(event: AgentEvent): void {
    if (event.type === 'turn_finished') this.#end = event.result;
    if (event.type !== 'tool_finished' || event.outcome !== 'ok') return;
    if (event.details.learned !== undefined) this.#learned.push(event.details.learned);
  }

  /** Throws when the run failed, or took longer than its requests may. */
  resultWithin(timeoutMs: number): SideRunResult {
    const end = this.#end;
    if (end?.ended === 'failed') throw new UserError(end.error);
    if (end?.ended === 'interrupted') throw new UserError(`no answer within ${timeoutMs / 1000} s`);
    return { text: end?.finalResponse ?? '', learned: this.#learned };
  }
}

function toolPorts({ list, toolbox, usable, services, policy }: SideRunTools, taskId: string) {
  return {
    list: () => list,
    policy,
    human: headless,
    services,
    taskId,
    ...(toolbox === undefined ? {} : { toolbox }),
    ...(usable === undefined ? {} : { usable }),
  };
}

function isSame(left: ModelRoute, right: ModelRoute): boolean {
  return left.provider === right.provider && left.model === right.model && left.baseUrl === right.baseUrl;
}
