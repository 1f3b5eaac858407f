/** A run beside a conversation: the one loop, with nobody watching, whose requests share the conversation's prefix. */
import type { AgentEvent } from '../agent/events.ts';
import { headless } from '../agent/human.ts';
import type { Policy } from '../agent/policy.ts';
import type { Spending } from '../agent/spending.ts';
import type { Learned, Tool } from '../agent/tool.ts';
import type { Toolbox } from '../agent/toolbox.ts';
import type { EphemeralLayers } from '../agent/turn-request.ts';
import { UserError } from '../lib/errors.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { CalledModel, ModelRoute, Usage } from '../llm/protocol.ts';
import type { SideLadders, SideTask } from '../llm/side-task.ts';
import type { Source } from '../llm/source.ts';
import { MemoryTranscript } from '../sessions/memory-transcript.ts';
import type { ToolServices } from '../tools/services.ts';
import { buildAgent } from './build-agent.ts';
import type { RunSettings } from './run-settings.ts';

/** What all runs beside one conversation have in common. */
export interface SideRunPorts {
  readonly ladders: SideLadders;
  readonly settings: RunSettings;
  readonly spending: Spending;
  /** Books one request of a task. */
  readonly recordUsage: (task: SideTask, usage: Usage, on: CalledModel) => Promise<void>;
  /** The conversation whose cache is shared. */
  readonly sessionId: () => string;
  /** The model of the conversation: used as it is where the task has no other. */
  readonly mainRoute: () => ModelRoute;
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
  readonly calls: readonly SideCall[];
  /** What was written to memory and skills, in order. */
  readonly learned: readonly Learned[];
}

export interface SideCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly outcome: Extract<AgentEvent, { type: 'tool_finished' }>['outcome'];
}

/**
 * Resolves when the model calls no more tools or its steps are used up. Rejects with a `UserError` in the words of the
 * failure, and when `signal` aborts; calls that ran before stay done.
 */
export async function runBeside(ports: SideRunPorts, run: SideRun, signal: AbortSignal): Promise<SideRunResult> {
  const ladder = await ports.ladders.ladder(run.task, signal);
  const either = AbortSignal.any([signal, AbortSignal.timeout(ladder.timeoutMs * run.maxSteps)]);
  const main = ports.mainRoute();
  const sessionId = ports.sessionId();
  const agent = buildAgent(ports.settings, {
    transcript: new SideTranscript(run, ports),
    history: run.history ?? [],
    models: {
      route: isSame(ladder.route, main) ? main : ladder.route,
      fallbacks: ladder.fallbacks,
      cacheKey: sessionId,
    },
    prompt: { system: run.systemPrompt, ...(run.ephemeral === undefined ? {} : { ephemeral: run.ephemeral }) },
    tools: toolPorts(run.tools, sessionId),
    spending: ports.spending,
    maxSteps: run.maxSteps,
  });
  const collected = new Collected();
  const turn = agent.run({ content: run.request, kind: 'note', sources: [{ from: 'agent' }] }, { signal: either });
  for (let next = await turn.next(); ; next = await turn.next()) {
    if (next.done !== true) {
      collected.add(next.value);
      continue;
    }
    signal.throwIfAborted();
    const { ended, finalResponse } = next.value;
    if (ended === 'failed') throw new UserError(next.value.error);
    if (ended === 'interrupted') throw new UserError(`no answer within ${ladder.timeoutMs / 1000} s`);
    return { text: finalResponse ?? '', calls: collected.calls, learned: collected.learned };
  }
}

/** Keeps nothing but books: what a side run says is not part of the conversation. */
class SideTranscript extends MemoryTranscript {
  readonly #run: Pick<SideRun, 'task'>;
  readonly #ports: Pick<SideRunPorts, 'recordUsage'>;

  constructor(run: SideRun, ports: SideRunPorts) {
    const prompt = run.systemPrompt;
    super({ sessionId: ports.sessionId(), prompt, ...(run.sources === undefined ? {} : { sources: run.sources }) });
    this.#run = run;
    this.#ports = ports;
  }

  override async recordUsage(usage: Usage, on: CalledModel): Promise<void> {
    await this.#ports.recordUsage(this.#run.task, usage, on);
  }
}

class Collected {
  readonly calls: SideCall[] = [];
  readonly learned: Learned[] = [];
  readonly #args = new Map<string, Readonly<Record<string, unknown>>>();

  add(event: AgentEvent): void {
    if (event.type === 'tool_started') this.#args.set(event.callId, event.args);
    if (event.type !== 'tool_finished') return;
    const { name, outcome, details } = event;
    this.calls.push({ name, args: this.#args.get(event.callId) ?? {}, outcome });
    if (outcome === 'ok' && details.learned !== undefined) this.learned.push(details.learned);
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
