/** Makes the sub-agents of one call: what each of them is given of its parent. */
import { randomBytes } from 'node:crypto';
import pLimit from 'p-limit';
import { choiceOf, type Human } from '../../agent/human.ts';
import { effortOf } from '../../llm/reasoning-effort.ts';
import type { DelegatedTask } from '../../tools/delegation/delegation.ts';
import { fromProgram } from '../new-session.ts';
import type { OpenSession } from '../open-session-view.ts';
import { Child } from './child.ts';
import { childRoute, childSpec } from './child-spec.ts';
import { DelegatedCall } from './delegated-call.ts';
import { showFiles } from './kept-files.ts';
import { LiveTranscripts, oneLine } from './live-transcript.ts';
import type { DelegationHost } from './delegation-host.ts';

export interface StartOptions {
  readonly id: string;
  readonly human: Human;
  readonly inBackground: boolean;
  /** Characters of the result; undefined: no limit. */
  readonly resultChars: number | undefined;
}

const leastTimeout = 30;

export function newDelegationId(): string {
  return `deleg_${randomBytes(4).toString('hex')}`;
}

/** Throws `UserError` for a model that cannot be resolved. */
export async function startCall(
  host: DelegationHost,
  tasks: readonly DelegatedTask[],
  { id, human, inBackground, resultChars }: StartOptions,
): Promise<DelegatedCall> {
  const { program, parts, services, depth } = host;
  const settings = parts.config.config.delegation;
  const { redact, state } = services;
  const { agent, books } = host.session();
  const asked = childRoute(settings, agent.route);
  // Once for all: a wrong name is an error of the call, not of each of its tasks.
  const route = 'protocol' in asked ? asked : await program.models.resolve(asked);
  const log = parts.log.named('delegation');
  const homePath = parts.home.path;
  const transcripts = await LiveTranscripts.begin(id, tasks, { homePath, redact, log });
  const sources = host.entered();
  const timeoutSeconds = settings.child_timeout_seconds;
  const oneAtATime = pLimit(1);
  const children = tasks.map((task, index) => {
    const delegates =
      task.role === 'orchestrator' && settings.orchestrator_enabled && depth + 1 < settings.max_spawn_depth;
    const open = async (childId: string): Promise<OpenSession> => {
      const parent = host.session();
      const spec = childSpec({
        id: childId,
        task,
        like: host.spec,
        settings,
        rights: { delegates, inheritsMcp: settings.inherit_mcp_toolsets },
        tools: parts.tools,
        ...(parts.servers === undefined ? {} : { servers: parts.servers.choice }),
        cwd: parts.cwd,
        depth: depth + 1,
        route,
        human: humanOf(human, { id: childId, goal: task.goal }, oneAtATime),
        yolo: parent.yolo || settings.subagent_auto_approve,
      });
      const session = fromProgram(await program.openSession({ ...spec, parent }));
      session.background.agents.paused = parent.background.agents.paused;
      const effort = effortOf(settings.reasoning_effort) ?? agent.settings.reasoningEffort;
      session.agent.settings.reasoningEffort = effort;
      session.agent.settings.priority = agent.settings.priority;
      return session;
    };
    return new Child({
      delegationId: id,
      index,
      count: tasks.length,
      depth: depth + 1,
      task,
      inBackground,
      sources,
      open,
      price: async (usage, on) => (await books.cost(usage, on)).estimated_cost_usd,
      transcript: transcripts?.all[index],
      timeoutMs: timeoutSeconds > 0 ? Math.max(leastTimeout, timeoutSeconds) * 1000 : 0,
      homePath,
      redact,
      log,
      tell: (event) => host.tell(event),
      hooks: program.hooks,
      parent: () => ({
        parent_session_id: host.session().id,
        parent_turn_id: null,
        parent_subagent_id: host.spec.mode?.subAgent?.id ?? null,
      }),
    });
  });
  return new DelegatedCall({
    id,
    children,
    transcripts,
    readLedger: state.readLedger,
    room: () => {
      const { contextLength } = agent.route;
      const used = agent.tokens.last_prompt_tokens;
      return {
        configured: settings.max_summary_chars,
        freeTokens: contextLength === undefined ? undefined : Math.max(0, contextLength - used),
        resultChars,
      };
    },
    homePath,
    log,
    show: showFiles(services),
  });
}

/** The person of the parent, asked one question at a time and told who wants to know; nothing else is asked. */
function humanOf(
  human: Human,
  { id, goal }: { readonly id: string; readonly goal: string },
  oneAtATime: <T>(work: () => Promise<T>) => Promise<T>,
): Human {
  return {
    get present() {
      return human.present;
    },
    approve: (request, signal) =>
      oneAtATime(async () => {
        if (signal.aborted) return 'deny';
        const reasons = [...request.reasons, `a sub-agent (${id}) asks, whose task is: ${oneLine(goal, 80)}`];
        const answer = await human.approve({ ...request, reasons }, signal);
        return choiceOf(answer) === 'deny' ? answer : choiceOf(answer);
      }),
    clarifies: false,
    clarify: () => Promise.resolve({ unanswered: 'unasked' }),
    secret: () => Promise.resolve(undefined),
  };
}
