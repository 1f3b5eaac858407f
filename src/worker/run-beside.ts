/** One request in a conversation of its own, beside the one that a surface drives. */
import { randomBytes } from 'node:crypto';
import type { TurnResult } from '../agent/events.ts';
import { UserError } from '../lib/errors.ts';
import { formatTime } from '../lib/format-time.ts';
import type { Program } from '../runtime/program.ts';
import type { Session, SessionKnowledge } from '../runtime/session.ts';
import type { SessionSpec } from '../runtime/session-spec.ts';
import { MemoryWorkQueue } from './memory-work-queue.ts';
import { openWorker } from './open-worker.ts';
import type { Prepared, SessionWorkerOptions } from './session-worker.ts';
import type { WorkerEvent } from './worker.ts';

export interface BesideOptions {
  readonly prepare?: (...typed: Parameters<NonNullable<SessionWorkerOptions['prepare']>>) => Promise<Prepared>;
  /** Stops it: what it has said until then is the result. */
  readonly signal: AbortSignal;
  /** The conversation is open. */
  readonly opened?: (session: Session) => void;
  readonly heard?: (event: WorkerEvent) => void;
}

export interface BesideEnd {
  readonly result: TurnResult;
  /** Of its conversation. */
  readonly hosts: SessionKnowledge['hosts'];
}

/** The id of such a conversation, such as `bg_143005_1a2b3c`. */
export function newBesideId(now: Date): string {
  return `bg_${formatTime('%H%M%S', now)}_${randomBytes(3).toString('hex')}`;
}

/** Runs its one turn and closes it. Rejects with what kept it from having one. */
export async function runBeside(
  program: Program,
  spec: SessionSpec,
  input: { readonly content: string; readonly asTyped: boolean },
  { signal, opened, heard, prepare }: BesideOptions,
): Promise<BesideEnd> {
  const queue = new MemoryWorkQueue();
  const worker = await openWorker(program, spec, { queue, ...(prepare === undefined ? {} : { prepare }) });
  const ended = Promise.withResolvers<TurnResult>();
  worker.listen((event) => {
    if (event.type === 'turn_finished') ended.resolve(event.result);
    else if (event.type === 'message_failed') ended.reject(new UserError(event.error));
    heard?.(event);
  });
  const stop = (): void => worker.interrupt();
  signal.addEventListener('abort', stop, { once: true });
  try {
    opened?.(worker.session);
    const { content, asTyped } = input;
    await worker.submit(asTyped ? { content } : { content, sources: [{ from: 'user' }] });
    if (signal.aborted) stop();
    return { result: await ended.promise, hosts: worker.session.knowledge.hosts };
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.close();
    await worker.session.close('background_done');
  }
}
