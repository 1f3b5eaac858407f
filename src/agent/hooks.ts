/** The points at which code of the owner hears of a conversation, and may say something to it. */
import type { Source } from '../llm/source.ts';

/** In the words of the original, as are the fields of what each is given. */
export const hookPoints = [
  'pre_tool_call',
  'post_tool_call',
  'transform_tool_result',
  'transform_terminal_output',
  'pre_llm_call',
  'post_llm_call',
  'transform_llm_output',
  'pre_verify',
  'pre_api_request',
  'post_api_request',
  'api_request_error',
  'on_session_start',
  'on_session_end',
  'on_session_finalize',
  'on_session_reset',
  'subagent_start',
  'subagent_stop',
  'pre_gateway_dispatch',
  'pre_approval_request',
  'post_approval_response',
  'kanban_task_completed',
  'kanban_task_blocked',
] as const;

export type HookPoint = (typeof hookPoints)[number];

/** Not only heard: these may change what a tool is called with, or a model is asked. */
export const requestMiddleware = ['tool_request', 'llm_request'] as const;
/** These stand around the work itself. */
const executionMiddleware = ['tool_execution', 'llm_execution'] as const;
export const middlewareKinds = [...requestMiddleware, ...executionMiddleware] as const;
export type RequestMiddleware = (typeof requestMiddleware)[number];
export type ExecutionMiddleware = (typeof executionMiddleware)[number];
export type MiddlewareKind = (typeof middlewareKinds)[number];

/** What a listener is given: data only, which it may keep. */
export type HookPayload = Readonly<Record<string, unknown>>;

/** What one listener returned. */
export interface HookAnswer {
  /** For people: `hook check.sh`, `plug-in notes`. */
  readonly by: string;
  /** Whatever it was; whoever asked looks at it. */
  readonly value: unknown;
}

/**
 * Who listens is nobody's concern here. Must never reject, must give each listener a deadline, must leave out (and log)
 * those that fail, and must ask one after the other, so that answers stand in the order of their registration.
 *
 * @example
 * const answers = await hooks.call('pre_tool_call', () => ({ tool_name: 'terminal', args, …identity }), signal);
 */
export interface Hooks {
  /** `payload` is built only when somebody listens. An aborted signal ends the wait, not the telling: who has not answered by then did not. */
  call(
    point: HookPoint | RequestMiddleware,
    payload: () => HookPayload,
    signal?: AbortSignal,
  ): Promise<readonly HookAnswer[]>;
  /**
   * Runs `work` inside of all middleware of a kind, the first registered outermost. Who fails before the work is left out;
   * who fails after it has its result taken as it is. Rejects only with what `work` rejects with, or when it is abandoned.
   */
  around<T>(kind: ExecutionMiddleware, work: SurroundedWork<T>): Promise<Surrounded<T>>;
  /** False spares looking for what a payload would hold. */
  has(point: HookPoint | MiddlewareKind): boolean;
}

/** Work that middleware stands around. */
export interface SurroundedWork<T> {
  /** Asked once. What stands under `args` or `request` is what will be done, whatever `next_call` is given. */
  payload(): HookPayload;
  /** Aborts when nobody waits for the result any more: middleware is told, and what has not begun then never begins. */
  readonly abandoned: AbortSignal;
  run(): Promise<T>;
  /** What came of it, as data that middleware may change. */
  show(result: T): unknown;
  /** What middleware made of it; the same result where it changed nothing. Throws when it means nothing. */
  read(given: unknown, result: T | undefined): T;
}

/** What came of work with others around it. */
export interface Surrounded<T> {
  readonly result: T;
  /** Who gave it, when it is not that of the work. */
  readonly by?: string;
}

/** Nobody listens. */
export const noHooks: Hooks = {
  call: () => Promise.resolve([]),
  has: () => false,
  around: async (_, work) => ({ result: await work.run() }),
};

/** Text of a hook is not the person's: whoever wrote the hook may pass on what anybody wrote. */
export function hookSource(by: string): Source {
  return { from: 'program', name: by };
}
