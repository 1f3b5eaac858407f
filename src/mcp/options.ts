/** What servers need of the process they are used in. */
import type { Variables } from '../config/variables.ts';
import type { Network } from '../lib/connections.ts';
import type { Log } from '../lib/log.ts';
import type { ServerWaits } from './waits.ts';

export interface McpOptions {
  readonly homePath: string;
  /** Where processes of servers start that have no `cwd`. */
  readonly cwd: string;
  readonly variables: Variables;
  readonly network: Network;
  readonly log: Log;
  readonly version: string;
  /** Who is asked whether a package is malware (`OSV_ENDPOINT`); absent: nobody. */
  readonly osvEndpoint?: string;
  /** `mcp_discovery_timeout`, in milliseconds. */
  readonly discoveryMs: number;
  /** Default: those of the specification. */
  readonly waits?: ServerWaits;
}
