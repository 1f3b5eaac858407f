/** Jobs that are done once for a store, whichever program is the first: what older programs left behind goes. */
import type { SessionStore } from './session-store.ts';

/** In `state_meta`, as the original calls them; `1` when it was done. */
const jobs = { ghosts: 'ghost_session_prune_v1', orphans: 'orphaned_compression_finalize_v1' } as const;

/** Deletes sessions of others that never held anything, and ends continuations that nobody went on with. */
export async function tidyOnce({ meta, maintenance }: Pick<SessionStore, 'meta' | 'maintenance'>): Promise<void> {
  if ((await meta.get(jobs.ghosts)) === undefined) {
    await maintenance.deleteGhosts();
    await meta.set(jobs.ghosts, '1');
  }
  if ((await meta.get(jobs.orphans)) === undefined) {
    await maintenance.endOrphans();
    await meta.set(jobs.orphans, '1');
  }
}
