/** The service of one home, as the commands of `hermes gateway` drive it. */
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { type Home, listProfiles, userDirectory } from '../../config/home.ts';
import { gatewayProcessSettings } from '../../config/gateway-process.ts';
import { filled } from '../../config/env-values.ts';
import { runCaptured } from '../../environments/run-captured.ts';
import { openService } from '../../gateway/service/open-service.ts';
import type { RunProgram, Service } from '../../gateway/service/service.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { projectRoot } from '../commands/version.ts';

export interface ServiceChoice {
  readonly system?: true;
  readonly runAsUser?: string;
}

/** A stop waits for the turns that run. */
const timeoutMs = 600_000;

/** Throws `UserError` where there are no services. */
export async function serviceOf({ env }: CliContext, home: Home, choice: ServiceChoice): Promise<Service> {
  const { config } = await loadConfig({ home, env });
  return openService({
    facts: {
      home,
      node: process.execPath,
      script: join(projectRoot(), 'bin', 'hermes.mjs'),
      path: gatewayProcessSettings(env).path,
      drainSeconds: config.agent.restart_drain_timeout,
      watchdogSeconds: config.systemd_watchdog_seconds ?? config.gateway.systemd_watchdog_seconds ?? 0,
    },
    env,
    run: runProgram(env),
    ...(choice.system === true ? { system: { runAs: runAs(env, choice) } } : {}),
  });
}

/** Those that a command is about: all profiles, or the one that is active. */
export function homesFor({ home }: CliContext, { all }: { readonly all?: true }): readonly Home[] {
  return all === true ? listProfiles(home.root) : [home];
}

export function runProgram(env: CliContext['env']): RunProgram {
  return async (program, args) => await runCaptured(program, args, { env, timeoutMs });
}

/** Units of the system run as whoever asked for them, never by accident as root. */
function runAs(env: CliContext['env'], { runAsUser }: ServiceChoice): string {
  const name = filled(runAsUser) ?? gatewayProcessSettings(env).sudoUser ?? userInfo().username;
  if (!/^[a-z_][a-z0-9_-]{0,31}\$?$/i.test(name))
    throw new UserError(`'${name}' is no name of a user.`, { exitCode: 2 });
  if (name === 'root' && runAsUser === undefined) {
    throw new UserError('The gateway would run as root, and so would every command of the agent.', {
      hint: `Say who it is to run as: --run-as-user NAME (or root, if you mean it). Its home is that of this profile below ${userDirectory(env)}.`,
    });
  }
  return name;
}
