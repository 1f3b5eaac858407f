/** A call of a tool that neither a model nor another call has made, while no turn runs. */
import { randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { BesideCall } from './conversation-door.ts';
import { InnerCalls } from './inner-calls.ts';
import { noGuard, runLoneCall, type ToolPorts } from './run-tool-calls.ts';
import type { InnerResult } from './tool.ts';
import type { Toolbox } from './toolbox.ts';
import { CallHooks } from './call-hooks.ts';
import type { ConversationHooks } from './turn-hooks.ts';

export interface BesidePlace<Services> {
  readonly ports: ToolPorts<Services>;
  readonly toolbox: Toolbox<Services>;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly hooks: ConversationHooks | undefined;
}

/** Never rejects. Where its text comes from is told to `ports.entered`. */
export async function callBeside<Services>(
  { name, args, sources, signal }: BesideCall,
  { ports, toolbox, sessionId, clock, hooks }: BesidePlace<Services>,
): Promise<InnerResult> {
  const outer = `beside:${randomUUID()}`;
  const identity = { task_id: ports.taskId, session_id: sessionId, turn_id: '', api_request_id: '' };
  const run = {
    ports: { ...ports, addition: () => Promise.resolve(undefined) },
    toolbox,
    sessionId,
    clock,
    guard: noGuard,
    madeBy: outer,
    interruptMessage: () => undefined,
    onFinished: () => undefined,
    // Nothing is kept of it.
    keep: () => Promise.reject(new Error('a call beside the conversation has no message')),
  };
  const calls = new InnerCalls({
    outer,
    names: toolbox.names,
    sources,
    entered: (brought) => ports.entered?.(brought),
    run: async (call, ended) => {
      const heard = hooks === undefined ? {} : { hooks: new CallHooks({ ...hooks, identity, signal: ended }) };
      return await runLoneCall(call, { ...run, ...heard, signal: ended }, () => undefined);
    },
  });
  return await calls.call(name, args, signal);
}
