/** The boards of tasks that a session may see and change. */
import { kanbanVariables, type KanbanWorker, kanbanWorker } from '../config/kanban-variables.ts';
import { expandTilde } from '../config/home.ts';
import type { Hooks } from '../agent/hooks.ts';
import type { Boards } from '../kanban/board.ts';
import type { BoardAccess, BoardEvent } from '../tools/kanban/board-access.ts';
import type { SessionParts } from './session-parts.ts';

type Parts = Pick<SessionParts, 'home' | 'env' | 'config' | 'tools'> & Partial<Pick<SessionParts, 'hooks'>>;

/** Undefined where the session has no tool for them. Opens nothing before a board is used. */
export function sessionBoard(parts: Parts, sessionId: () => string | undefined): BoardAccess | undefined {
  if (!parts.tools.some(({ toolset }) => toolset === 'kanban')) return undefined;
  const { env, home, hooks } = parts;
  const settings = kanbanVariables(env);
  let opened: Promise<Boards> | undefined;
  return {
    worker: kanbanWorker(env),
    author: settings.profile ?? home.profile,
    tenant: settings.tenant,
    claimSeconds: settings.claimSeconds,
    sessionId,
    use: async (board, work, signal) => await (await (opened ??= openBoards(parts))).use(board, work, signal),
    tell: async (event, signal) => await tell(hooks, home.profile, event, signal),
  };
}

/** The task that this process was started for; undefined for everybody else. */
export function boardWorker({ env }: Pick<SessionParts, 'env'>): KanbanWorker | undefined {
  return kanbanWorker(env);
}

async function openBoards({ env, home, config }: Parts): Promise<Boards> {
  const { Boards } = await import('../kanban/board.ts');
  const { home: other, database, board, workspacesRoot, attachmentsRoot, busyTimeoutMs } = kanbanVariables(env);
  const expanded = (path: string | undefined) => (path === undefined ? undefined : expandTilde(path, env));
  return new Boards({
    settings: {
      home: expanded(other) ?? home.root,
      database: expanded(database),
      board,
      workspacesRoot: expanded(workspacesRoot),
      attachmentsRoot: expanded(attachmentsRoot),
    },
    busyTimeoutMs,
    failureLimit: config.config.kanban.failure_limit,
  });
}

async function tell(hooks: Hooks | undefined, profile: string, event: BoardEvent, signal: AbortSignal): Promise<void> {
  const { kind, task, board, runId, words } = event;
  const payload = () => ({
    task_id: task.id,
    profile_name: profile,
    board,
    assignee: task.assignee,
    run_id: runId ?? null,
    ...(kind === 'completed' ? { summary: words } : { reason: words }),
  });
  await hooks?.call(kind === 'completed' ? 'kanban_task_completed' : 'kanban_task_blocked', payload, signal);
}
