/** Where the environment says that somebody's files are. */
import { filled } from './env-values.ts';
import type { Variables } from './variables.ts';

export interface HomeVariables {
  /** `HOME` */
  readonly home: string | undefined;
  /** `HERMES_REAL_HOME`: the person's, where `HOME` is the agent's. */
  readonly realHome: string | undefined;
}

export function homeVariables(env: Variables): HomeVariables {
  return { home: filled(env['HOME']), realHome: filled(env['HERMES_REAL_HOME']) };
}
