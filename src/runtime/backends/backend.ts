/** What a terminal backend is made from, and what it says of itself. */
import type { Home } from '../../config/home.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Variables } from '../../config/variables.ts';
import type { Environment } from '../../environments/environment.ts';
import type { Log } from '../../lib/log.ts';
import type { GatewayParts } from '../tool-gateway.ts';

export interface BackendParts extends Pick<GatewayParts, 'models' | 'onToken'> {
  readonly home: Home;
  readonly env: Variables;
  readonly config: LoadedConfig;
  /** Where the program was started. */
  readonly cwd: string;
  /** Where the next command starts: absolute there, or with `~`. */
  readonly start: string;
  /** Real paths of files of the home that commands may use by now. */
  readonly sharedFiles: () => readonly string[];
  readonly log: Log;
}

/** One file of a backend: loaded with the first command. */
export interface BackendModule {
  /** Opens nothing before the first command. Throws `UserError` for settings with which it could not. */
  open(parts: BackendParts): Environment | Promise<Environment>;
}
