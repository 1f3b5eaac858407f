/** The scanner of commands as this home has it set up. */
import { homedir } from 'node:os';
import type { Log } from '../lib/log.ts';
import { childEnvironment } from '../safety/child-env.ts';
import { CommandScanner } from '../tools/terminal/tirith/scanner.ts';
import type { ProgramOptions } from './program-options.ts';

export function commandScanner({ home, env, config, longLived }: ProgramOptions, log: Log): CommandScanner {
  const { security } = config.config;
  let known: Readonly<Record<string, string>> | undefined;
  const childEnv = () => (known ??= childEnvironment(env, { passthrough: [] }));
  // A single question is over before anything is installed.
  const installs = longLived === true && security.allow_lazy_installs;
  return new CommandScanner({
    homePath: home.path,
    userHome: homedir(),
    env: childEnv,
    enabled: security.tirith_enabled,
    path: security.tirith_path,
    timeoutSeconds: security.tirith_timeout,
    failOpen: security.tirith_fail_open,
    log: log.named('tirith'),
    ...(installs
      ? {
          install: async (signal) => {
            const [{ installTirith }, { fetchOver }, { modelVariables }] = await Promise.all([
              import('../tools/terminal/tirith/install-tirith.ts'),
              import('../lib/fetch-over.ts'),
              import('../config/model-variables.ts'),
            ]);
            const fetch = fetchOver(modelVariables(env).network);
            await installTirith({ homePath: home.path, fetch, env: childEnv(), signal });
          },
        }
      : {}),
  });
}
