/** `hermes gateway run`: the gateway in this process. */
import { userDirectory } from '../../config/home.ts';
import { openMedia } from '../../gateway/media/open-media.ts';
import { runGateway } from '../../gateway/process/run-gateway.ts';
import { openProgram } from '../../runtime/open-program.ts';
import { secretMask } from '../../runtime/secret-mask.ts';
import { hookAsker } from '../ask-hook.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';
import { missingSlashLine } from '../not-in-this-build.ts';
import { openGatewayLog } from './gateway-log.ts';
import { runHermes } from './run-hermes.ts';
import { saveVariables } from './save-variables.ts';

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
  const log = openGatewayLog({ home, io, config: config.config }, { ...options, mask: (text) => mask(text) });
  const fault = (error: Error, origin: 'uncaughtException' | 'unhandledRejection'): void => {
    if (context.strayErrors?.isOutlived(error, origin) === true) return;
    log.error('the gateway broke down', error);
    log.flush();
  };
  process.on('uncaughtExceptionMonitor', fault);
  const { version } = readPackage();
  const say = (line: string): void => void (options.quiet === true || io.stdout.write(`${line}\n`));
  try {
    context.exitCode = await runGateway({
      home,
      config,
      env,
      log,
      version,
      missing: missingSlashLine,
      say,
      replace: options.replace === true,
      supervised: options.externalSupervisor === true,
      reloadVariables() {
        context.reloadVariables();
        mask = secretMask({ config, env });
        return env;
      },
      saveVariables: (variables) => saveVariables(context, variables),
      media: (program) => openMedia(program),
      openProgram: () => {
        const commandNames = context.commands.map(({ name }) => name);
        const place = { home, env, config, log, version, commandNames, cwd: userDirectory(env) };
        return openProgram({ ...place, longLived: true, ...hookAsker(context) });
      },
      runHermes: (words, signal) => runHermes(home, context.shell, words, signal),
      updates: {
        async look() {
          const { lookForUpdate } = await import('../update/update.ts');
          return await lookForUpdate(context);
        },
        async install() {
          const { installBeside } = await import('../update/install-beside.ts');
          return await installBeside(context, (text) => mask(text));
        },
      },
      async readProfile(other) {
        const { readOtherProfile } = await import('./other-profile.ts');
        return await readOtherProfile(context, other, { ...options, version, say });
      },
      async readApiKey(other) {
        const { readApiKey } = await import('./other-profile.ts');
        return await readApiKey(context.shell, other);
      },
    });
  } finally {
    process.off('uncaughtExceptionMonitor', fault);
    log.flush();
  }
}
