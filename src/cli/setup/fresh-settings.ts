/** The settings as they are now, for what comes after a step that may have changed them. */
import { loadConfig } from '../../config/load.ts';
import type { CliContext } from '../command.ts';

export function withFreshSettings(context: CliContext): CliContext {
  const { home, env } = context;
  const { ignoreUserConfig } = context.global;
  return { ...context, config: () => loadConfig({ home, env, ignoreUserConfig }) };
}
