/** What the conversation of a sub-agent is made of: nothing that its parent does not have. */
import type { Human } from '../../agent/human.ts';
import type { Tool } from '../../agent/tool.ts';
import type { Config } from '../../config/schema.ts';
import type { ModelRoute } from '../../llm/protocol.ts';
import type { RouteRequest } from '../../providers/choose-provider.ts';
import { custom } from '../../providers/profiles/custom.ts';
import type { DelegatedTask } from '../../tools/delegation/delegation.ts';
import type { ServerToolChoice } from '../choose-server-tools.ts';
import type { SessionSpec } from '../session-spec.ts';

/** What sub-agents never have, by tool and not by set, so that no set of sets brings it back. */
const neverTheirs = new Set(['delegate_task', 'clarify', 'memory', 'send_message', 'execute_code', 'cronjob']);
/** The task of a board is its worker's to end. */
const boards = 'kanban';
/** An orchestrator keeps this one. */
const delegating = 'delegate_task';

type Named = Pick<Tool<unknown>, 'name' | 'toolset'>;

/** Whether a sub-agent may have a tool of its parent. */
function mayHave({ name, toolset }: Named, { delegates, inheritsMcp }: ChildRights): boolean {
  if (name === delegating) return delegates;
  return !neverTheirs.has(name) && toolset !== boards && (inheritsMcp || !toolset.startsWith('mcp-'));
}

interface ChildRights {
  /** It may have sub-agents of its own. */
  readonly delegates: boolean;
  /** `delegation.inherit_mcp_toolsets` */
  readonly inheritsMcp: boolean;
}

interface ChildPlan {
  readonly id: string;
  readonly task: DelegatedTask;
  /** The spec of the parent. */
  readonly like: Pick<SessionSpec, 'surface' | 'userId' | 'mode' | 'tools'>;
  readonly settings: Config['delegation'];
  readonly rights: ChildRights;
  /** The parent's own tools, those that come and go left out. */
  readonly tools: readonly Named[];
  /** Which tools of servers the parent has. */
  readonly servers?: ServerToolChoice;
  readonly cwd: string;
  readonly depth: number;
  readonly route: ModelRoute | RouteRequest;
  readonly human: Human;
  readonly yolo: boolean;
}

export function childSpec(plan: ChildPlan): Omit<SessionSpec, 'parent'> {
  const { id, task, like, settings, rights, tools, servers, cwd, depth, route, human, yolo } = plan;
  const { tools: changing } = like;
  return {
    surface: like.surface,
    source: 'subagent',
    human,
    ...(like.userId === undefined ? {} : { userId: like.userId }),
    cwd,
    route,
    ...(changing === undefined ? {} : { tools: () => changing().filter((tool) => mayHave(tool, rights)) }),
    maxSteps: settings.max_iterations,
    prompt: { ignoreRules: true, systemMessage: instructions(task, plan) },
    mode: {
      yolo,
      subAgent: {
        id,
        depth,
        tools: tools.filter((tool) => mayHave(tool, rights)).map(({ name }) => name),
        ...(servers === undefined || !rights.inheritsMcp ? {} : { servers }),
      },
      ...(like.mode?.allowDemo === undefined ? {} : { allowDemo: like.mode.allowDemo }),
    },
  };
}

/** The system message of a sub-agent. */
function instructions({ goal, context }: DelegatedTask, { cwd, depth, rights, settings }: ChildPlan): string {
  const deepest = depth + 1 >= settings.max_spawn_depth;
  return [
    'You are a sub-agent: another agent has given you one task, and nobody reads what you write but that agent. Nobody can be asked about the task; decide what is open by yourself and say what you assumed.',
    `# Task\n${goal}`,
    ...(context === undefined ? [] : [`# What you should know\n${context}`]),
    `# Folder\n${cwd}`,
    '# Your answer\nDo the task with your tools. Your last message is all that comes back. Make it a short summary that begins with the outcome: what you did, what you found, which files you made or changed, and what went wrong or is left. Report only what you saw; no account of the way.',
    ...(rights.delegates
      ? [
          `# Sub-agents of your own\nWith delegate_task you may give parts that stand alone to sub-agents and wait for them. ${
            deepest ? 'They cannot delegate further.' : "They delegate further only with the role 'orchestrator'."
          } Never pass your whole task on. You answer for what they bring.`,
        ]
      : []),
  ].join('\n\n');
}

/**
 * The model of sub-agents: `base_url`, then `provider`, then that of the parent. The key of a `base_url` is its own or
 * `OPENAI_API_KEY`, never that of another endpoint.
 */
export function childRoute(settings: Config['delegation'], parent: ModelRoute): ModelRoute | RouteRequest {
  const [model, provider, baseUrl, apiKey, apiMode] = [
    settings.model,
    settings.provider,
    settings.base_url,
    settings.api_key,
    settings.api_mode,
  ].map((text) => text.trim());
  const mode = apiMode ? { apiMode } : {};
  const key = apiKey ? { apiKey } : {};
  if (baseUrl) return { baseUrl, model: model || parent.model, keyEnv: 'OPENAI_API_KEY', ...key, ...mode };
  if (provider) return { provider, ...(model ? { model } : { ownModel: true }), ...key, ...mode };
  if (!model || model === parent.model) return parent;
  return { provider: parent.provider, model, ...(parent.provider === custom.id ? { baseUrl: parent.baseUrl } : {}) };
}
