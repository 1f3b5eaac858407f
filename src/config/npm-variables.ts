/** Where the user's settings of npm lie. */
import { join } from 'node:path';
import type { Variables } from './variables.ts';

/** `~/.npmrc`, or what `npm_config_userconfig` names; undefined where nobody has a home. */
export function npmSettingsFile(env: Variables): string | undefined {
  const chosen = env['npm_config_userconfig'] ?? env['NPM_CONFIG_USERCONFIG'];
  const home = env['HOME'] ?? env['USERPROFILE'];
  return chosen ?? (home === undefined ? undefined : join(home, '.npmrc'));
}
