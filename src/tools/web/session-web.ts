/** What the web tools of a session have: the ways of the program, and what plug-ins add to them. */
import type { BackendEntry } from './backends/web-backend.ts';
import type { WebAccess } from './web-access.ts';

export interface SessionWeb extends WebAccess {
  /** Of plug-ins; one of them may stand in the place of a service of the program. */
  readonly added?: readonly BackendEntry[];
}
