/** One that listens at one point. */
import type { HookPayload, HookPoint, MiddlewareKind } from '../agent/hooks.ts';

export interface HookListener {
  readonly point: HookPoint | MiddlewareKind;
  /** For people: `hook check.sh`, `plug-in notes`. */
  readonly by: string;
  /** After this many milliseconds it goes on without an answer. */
  readonly deadlineMs: number;
  /** May throw. `signal` aborts when nobody waits for the answer any more. */
  listen(payload: HookPayload, signal: AbortSignal): unknown;
}
