/** Opens a session together with what drives it. */
import type { Program } from '../runtime/program.ts';
import type { SessionSpec } from '../runtime/session-spec.ts';
import { SessionLease } from './session-lease.ts';
import { SessionWorker, type SessionWorkerOptions } from './session-worker.ts';

/**
 * Of a conversation that is continued the lease is taken first, so that what is read of it is all there is; of a new one
 * with its first message. Throws what `Program.openSession` throws.
 */
export async function openWorker(
  program: Program,
  spec: SessionSpec,
  options: Pick<SessionWorkerOptions, 'queue' | 'prepare' | 'onLate'>,
): Promise<SessionWorker> {
  const { store, log } = program;
  const lease =
    store === undefined ? undefined : new SessionLease(store.leases, { holder: spec.source ?? spec.surface, log });
  if (spec.resume !== undefined) await lease?.claim(spec.resume.id);
  const session = await program.openSession(spec).catch(async (error: unknown) => {
    await lease?.release();
    throw error;
  });
  const worker = new SessionWorker({
    session,
    log,
    ...options,
    ...(store === undefined || lease === undefined ? {} : { stored: { store, lease } }),
  });
  if (spec.resume !== undefined) await worker.claim();
  return worker;
}
