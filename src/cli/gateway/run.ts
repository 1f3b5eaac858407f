/** `hermes gateway run`: the gateway in this process. */
import { join } from 'node:path';
import { setEnvValue } from '../../config/dotenv-edit.ts';
import { userDirectory } from '../../config/home.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { loadManagedScope, refusePackagedInstall, refusePinnedVariable } from '../../config/managed.ts';
import { logSettings, openLog } from '../../config/open-log.ts';
import type { FileLog } from '../../lib/file-log.ts';
import { isAtLeast, type LogLevel } from '../../lib/log-level.ts';
import { openMedia } from '../../gateway/media/open-media.ts';
import { runGateway } from '../../gateway/process/run-gateway.ts';
import { openProgram } from '../../runtime/open-program.ts';
import { secretMask } from '../../runtime/secret-mask.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';
import { missingSlashLine } from '../not-in-this-build.ts';

export interface RunOptions {
  readonly verbose: number;
  readonly quiet?: true;
  readonly replace?: true;
  readonly externalSupervisor?: true;
}

export async function run(context: CliContext, options: RunOptions): Promise<void> {
  const { home, env, io } = context;
  const config = await context.config();
  // A secret that is new in `.env` has to be masked from then on.
  let mask = secretMask({ config, env });
  const log = openGatewayLog(context, config, { ...options, mask: (text) => mask(text) });
  const fault = (error: Error): void => {
    log.error('the gateway broke down', error);
    log.flush();
  };
  process.on('uncaughtExceptionMonitor', fault);
  const { version } = readPackage();
  try {
    context.exitCode = await runGateway({
      home,
      config,
      env,
      log,
      version,
      missing: missingSlashLine,
      say: (line) => void (options.quiet === true || io.stdout.write(`${line}\n`)),
      replace: options.replace === true,
      supervised: options.externalSupervisor === true,
      reloadVariables() {
        context.reloadVariables();
        mask = secretMask({ config, env });
        return env;
      },
      saveVariables: (variables) => saveVariables(context, variables),
      media: (program) => openMedia(program),
      openProgram: () => openProgram({ home, env, config, log, version, longLived: true, cwd: userDirectory(env) }),
    });
  } finally {
    process.off('uncaughtExceptionMonitor', fault);
    log.flush();
  }
}

function openGatewayLog(
  { home, io }: CliContext,
  { config }: LoadedConfig,
  { verbose, quiet, mask }: Pick<RunOptions, 'verbose' | 'quiet'> & { readonly mask: (text: string) => string },
): FileLog {
  const shown: LogLevel | undefined = quiet === true || verbose === 0 ? undefined : verbose === 1 ? 'INFO' : 'DEBUG';
  const log = openLog(home, mask, {
    also: 'gateway.log',
    onEntry(level, line) {
      if (shown !== undefined && isAtLeast(level, shown)) io.stderr.write(line);
    },
  });
  const settings = logSettings(config);
  log.configure(shown === undefined ? settings : { ...settings, level: shown });
  return log;
}

/** As `hermes config set` would; an empty value takes the variable out. */
async function saveVariables({ home, env }: CliContext, variables: Readonly<Record<string, string>>): Promise<void> {
  refusePackagedInstall(home, env);
  const managed = await loadManagedScope(env);
  for (const name of Object.keys(variables)) refusePinnedVariable(managed, name);
  for (const [name, value] of Object.entries(variables)) {
    setEnvValue(join(home.path, '.env'), name, value === '' ? undefined : value);
  }
}
