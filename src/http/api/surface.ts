/** What conversations over the API have in common. */
import type { Program } from '../../runtime/program.ts';

/** As the configuration, the prompt and the store call it. */
export const surface = 'api_server';

/** Names of the tools that they have. */
export function toolsetsOf({ options }: Program): readonly string[] {
  return options.config.config.platform_toolsets[surface] ?? ['hermes-api-server'];
}
