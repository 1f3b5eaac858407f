/** What the environment says about boards of tasks: where they lie, and which task this process was started for. */
import { filled, parseBoolean } from './env-values.ts';
import type { Variables } from './variables.ts';

export interface KanbanVariables {
  /** `HERMES_KANBAN_HOME`: in the place of the root home. */
  readonly home: string | undefined;
  /** `HERMES_KANBAN_DB`: the file of the board, whichever is asked for. */
  readonly database: string | undefined;
  /** `HERMES_KANBAN_BOARD` */
  readonly board: string | undefined;
  /** `HERMES_KANBAN_WORKSPACES_ROOT` */
  readonly workspacesRoot: string | undefined;
  /** `HERMES_KANBAN_ATTACHMENTS_ROOT` */
  readonly attachmentsRoot: string | undefined;
  /** `HERMES_KANBAN_BUSY_TIMEOUT_MS`: how long others are waited for. */
  readonly busyTimeoutMs: number;
  /** `HERMES_KANBAN_CLAIM_TTL_SECONDS` */
  readonly claimSeconds: number;
  /** `HERMES_PROFILE`: who writes. */
  readonly profile: string | undefined;
  /** `HERMES_TENANT`: of new tasks. */
  readonly tenant: string | undefined;
  /** `HERMES_KANBAN_STOP_NUDGE`: off for a worker that is not to be reminded. */
  readonly reminds: boolean;
}

/** The task that a process works on. */
export interface KanbanWorker {
  /** `HERMES_KANBAN_TASK` */
  readonly taskId: string;
  /** `HERMES_KANBAN_RUN_ID`: the attempt it was started for. */
  readonly runId?: number;
  /** `HERMES_KANBAN_CLAIM_LOCK`: under which it holds the task. */
  readonly claimLock?: string;
}

const defaultBusyMs = 120_000;
const defaultClaimSeconds = 900;

export function kanbanVariables(variables: Variables): KanbanVariables {
  return {
    home: filled(variables['HERMES_KANBAN_HOME']),
    database: filled(variables['HERMES_KANBAN_DB']),
    board: filled(variables['HERMES_KANBAN_BOARD']),
    workspacesRoot: filled(variables['HERMES_KANBAN_WORKSPACES_ROOT']),
    attachmentsRoot: filled(variables['HERMES_KANBAN_ATTACHMENTS_ROOT']),
    busyTimeoutMs: whole(variables['HERMES_KANBAN_BUSY_TIMEOUT_MS']) ?? defaultBusyMs,
    claimSeconds: whole(variables['HERMES_KANBAN_CLAIM_TTL_SECONDS']) ?? defaultClaimSeconds,
    profile: filled(variables['HERMES_PROFILE']),
    tenant: filled(variables['HERMES_TENANT']),
    reminds: parseBoolean(filled(variables['HERMES_KANBAN_STOP_NUDGE']) ?? 'on') !== false,
  };
}

/** Undefined where nobody was started for a task. */
export function kanbanWorker(variables: Variables): KanbanWorker | undefined {
  const taskId = filled(variables['HERMES_KANBAN_TASK']);
  if (taskId === undefined) return undefined;
  const runId = whole(variables['HERMES_KANBAN_RUN_ID']);
  const claimLock = filled(variables['HERMES_KANBAN_CLAIM_LOCK']);
  return { taskId, ...(runId === undefined ? {} : { runId }), ...(claimLock === undefined ? {} : { claimLock }) };
}

/** 1 or more; anything else counts as unset. */
function whole(text: string | undefined): number | undefined {
  const written = filled(text);
  if (written === undefined || !/^\d{1,12}$/.test(written)) return undefined;
  return Number(written) > 0 ? Number(written) : undefined;
}
