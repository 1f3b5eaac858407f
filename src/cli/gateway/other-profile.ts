/** Another profile, as the gateway of the default one serves it: with its own settings, keys and log, and nothing of ours. */
import { apiServerSettings, keyProblem } from '../../config/api-server.ts';
import { loadEnvironment, replaceVariables } from '../../config/dotenv.ts';
import { ensureHome, type Home, userDirectory } from '../../config/home.ts';
import { loadConfig } from '../../config/load.ts';
import { mayHaveSecretSources } from '../../config/secret-settings.ts';
import type { Variables } from '../../config/variables.ts';
import { openMedia } from '../../gateway/media/open-media.ts';
import type { OtherProfile } from '../../gateway/process/served-profile.ts';
import { isSecretName } from '../../lib/secrets.ts';
import { openProgram } from '../../runtime/open-program.ts';
import { secretMask } from '../../runtime/secret-mask.ts';
import { isOwnVariable } from '../../safety/secret-variables.ts';
import type { CliContext } from '../command.ts';
import { openGatewayLog, type LogOptions } from './gateway-log.ts';
import { runHermes } from './run-hermes.ts';
import { saveVariables } from './save-variables.ts';

export interface ReadProfile extends Omit<LogOptions, 'mask'> {
  readonly version: string;
  say(line: string): void;
}

export async function readOtherProfile(
  { shell, io, strayErrors }: Pick<CliContext, 'shell' | 'io' | 'strayErrors'>,
  home: Home,
  options: ReadProfile,
): Promise<OtherProfile> {
  const own = shellOf(shell);
  ensureHome(home, own);
  const { env, warnings } = loadEnvironment(home, own);
  const fetched = mayHaveSecretSources(home, env) ? await fetchSecrets(home, env) : undefined;
  const config = await loadConfig({ home, env });
  strayErrors?.watch(home.path);
  // A secret that is new in `.env` has to be masked from then on.
  let mask = secretMask({ config, env });
  const log = openGatewayLog({ home, io, config: config.config }, { ...options, mask: (text) => mask(text) });
  const say = (line: string): void => options.say(`Profile ${home.profile}: ${mask(line)}`);
  for (const line of [...warnings, ...(fetched?.warnings ?? []), ...config.warnings]) {
    log.warning(line);
    say(line);
  }
  const { version } = options;
  return {
    home,
    config,
    env,
    log,
    say,
    mask: (text) => mask(text),
    release: () => log.flush(),
    reloadVariables() {
      const fresh = loadEnvironment(home, own);
      fetched?.layOver(fresh.env);
      replaceVariables(env, fresh.env);
      mask = secretMask({ config, env });
      return env;
    },
    saveVariables: (variables) => saveVariables({ home, env }, variables),
    media: (program) => openMedia(program),
    openProgram: () => openProgram({ home, env, config, log, version, longLived: true, cwd: userDirectory(env) }),
    runHermes: (words, signal) => runHermes(home, own, words, signal),
  };
}

/** The key that opens its API, as its files say now; undefined where there is none that could be used. */
export async function readApiKey(shell: Variables, home: Home): Promise<string | undefined> {
  const { env } = loadEnvironment(home, shellOf(shell));
  const { key } = apiServerSettings(await loadConfig({ home, env }), env, home.profile);
  return keyProblem(key) === undefined ? key : undefined;
}

/**
 * What is said outside of any `.env` is meant for the profile that the process was started for, as far as it is about keys,
 * accounts, people and rules.
 */
function shellOf(shell: Variables): Variables {
  return Object.fromEntries(Object.entries(shell).filter(([name]) => !isOwnVariable(name) && !isSecretName(name)));
}

async function fetchSecrets(home: Home, env: Record<string, string | undefined>) {
  const { fetchAtStart } = await import('../secrets/at-start.ts');
  return await fetchAtStart({ home, env, ignoreUserConfig: false });
}
