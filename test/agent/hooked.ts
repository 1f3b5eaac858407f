/** Hooks for a conversation of a test, and what they heard. */
import assert from 'node:assert/strict';
import type { HookPayload, HookPoint, MiddlewareKind } from '../../src/agent/hooks.ts';
import { type ConversationHooks, unhooked } from '../../src/agent/turn-hooks.ts';
import { type Log, noLog } from '../../src/lib/log.ts';
import { HookRegistry } from '../../src/plugins/hook-registry.ts';

export type Listen = (payload: HookPayload, signal: AbortSignal) => unknown;
type Point = HookPoint | MiddlewareKind;

/** The hooks of a test, and all that they heard. */
export function hooked(
  listeners: readonly (readonly [Point, Listen])[],
  more: Partial<ConversationHooks> = {},
  deadlineMs = 60_000,
) {
  const heard: { readonly point: Point; readonly payload: HookPayload }[] = [];
  const warned: string[] = [];
  const warn = (line: string): void => void warned.push(line);
  const log: Log = { ...noLog, warning: warn };
  const registry = new HookRegistry(log);
  for (const [index, [point, listen]] of listeners.entries()) {
    const listener = (payload: HookPayload, signal: AbortSignal): unknown => {
      heard.push({ point, payload });
      return listen(payload, signal);
    };
    registry.add({ point, by: `hook ${index + 1}`, deadlineMs, listen: listener });
  }
  const place = { platform: 'cli', taskId: 'task', maxNudges: 3, maxPayloadChars: 50_000 };
  const hooks: ConversationHooks = { ...unhooked, ...place, hooks: registry, warn, ...more };
  const at = (point: Point) => heard.filter((entry) => entry.point === point).map(({ payload }) => payload);
  return { hooks, heard, at, warned };
}

export const nothing: Listen = () => undefined;

/** What middleware calls to have its work done. */
export function nextOf({ next_call: next }: HookPayload): (args?: unknown) => Promise<unknown> {
  assert.ok(typeof next === 'function');
  return async (...args) => await next(...args);
}
