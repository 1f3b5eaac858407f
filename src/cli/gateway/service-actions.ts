/** `hermes gateway install`, `uninstall`, `start`, `stop` and `restart`. */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Home } from '../../config/home.ts';
import { loadConfig } from '../../config/load.ts';
import { announceEnd } from '../../gateway/process/markers.ts';
import { endGateway } from '../../gateway/process/end-gateway.ts';
import { runningGateway } from '../../gateway/process/running-gateway.ts';
import { refuseSecondGateway, servingGateway } from '../../gateway/process/serving-gateway.ts';
import type { Service } from '../../gateway/service/service.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { homesFor, type ServiceChoice, serviceOf } from './home-service.ts';

export interface ScopeOptions extends ServiceChoice {
  readonly all?: true;
}

export interface InstallFlags extends ServiceChoice {
  readonly force?: true;
  readonly startNow: boolean;
  readonly startOnLogin: boolean;
}

/** On top of the drain. */
const stopMarginMs = 20_000;

export async function install(context: CliContext, flags: InstallFlags): Promise<void> {
  const { home, io } = context;
  refuseSecondGateway(home);
  const service = await serviceOf(context, home, flags);
  const before = await service.status();
  if (before.active && !before.stale && flags.force !== true) {
    return void io.stdout.write(`The service is installed already, and active: ${service.file}\n`);
  }
  const running = runningGateway(home.path);
  if (running !== undefined && !before.active && flags.startNow) {
    throw new UserError(`A gateway runs in this home already (pid ${running.pid}), started by hand.`, {
      hint: 'End it first: hermes gateway stop',
    });
  }
  const { startNow, startOnLogin } = flags;
  if (await service.install({ startNow, startOnLogin })) io.stdout.write(`Written: ${service.file}\n`);
  io.stdout.write(startNow ? 'The gateway is started.\n' : 'Start it with: hermes gateway start\n');
  if (flags.system !== true) tellOfLinger(context);
  if (flags.system === true && existsSync((await serviceOf(context, home, {})).file)) {
    io.stdout.write('There is a service of the user too; only one of them can run: hermes gateway uninstall\n');
  }
}

export async function uninstall(context: CliContext, choice: ServiceChoice): Promise<void> {
  const service = await serviceOf(context, context.home, choice);
  if (!(await service.status()).installed) {
    context.io.stdout.write('There is no service of this profile.\n');
    return;
  }
  announce(context.home);
  await service.uninstall();
  context.io.stdout.write(`Removed: ${service.file}\n`);
}

export async function start(context: CliContext, options: ScopeOptions): Promise<void> {
  await forEachInstalled(context, options, async (home, service) => {
    await service.start();
    context.io.stdout.write(`The gateway of profile ${home.profile} is started.\n`);
  });
}

export async function restart(context: CliContext, options: ScopeOptions): Promise<void> {
  await forEachInstalled(context, options, async (home, service) => {
    await service.restart();
    context.io.stdout.write(`The gateway of profile ${home.profile} is restarted.\n`);
  });
}

/** Also one that was started by hand. */
export async function stop(context: CliContext, options: ScopeOptions): Promise<void> {
  for (const home of homesFor(context, options)) {
    const service = await serviceIfAny(context, home, options);
    const active = service !== undefined && (await service.status()).active;
    const running = runningGateway(home.path);
    if (running?.servedBy !== undefined) {
      if (options.all !== true) refuseSecondGateway(home);
      continue;
    }
    if (!active && running === undefined) {
      if (options.all !== true) context.io.stdout.write('No gateway runs for this profile.\n');
      continue;
    }
    announce(home);
    if (active) await service.stop();
    else if (running !== undefined) {
      const { config } = await loadConfig({ home, env: context.env });
      const graceMs = config.agent.restart_drain_timeout * 1000 + stopMarginMs;
      await endGateway(home.path, running, { kind: 'stop', graceMs });
    }
    context.io.stdout.write(`The gateway of profile ${home.profile} is stopped.\n`);
  }
}

async function forEachInstalled(
  context: CliContext,
  options: ScopeOptions,
  act: (home: Home, service: Service) => Promise<void>,
): Promise<void> {
  let count = 0;
  for (const home of homesFor(context, options)) {
    if (options.all !== true) refuseSecondGateway(home);
    else if (servingGateway(home) !== undefined) continue;
    const service = await serviceOf(context, home, options);
    if (!(await service.status()).installed) continue;
    count += 1;
    await act(home, service);
  }
  if (count > 0) return;
  const running = runningGateway(context.home.path);
  throw new UserError('The gateway is not installed as a service.', {
    hint:
      running === undefined
        ? 'Install it: hermes gateway install. Or run it in a terminal: hermes gateway run'
        : `One that was started by hand runs (pid ${running.pid}); another one takes its place with: hermes gateway run --replace`,
  });
}

/** So that it knows that somebody wants it to end, and does not ask to be started again. */
function announce(home: Home): void {
  const running = runningGateway(home.path);
  if (running !== undefined) announceEnd(home.path, 'stop', running.pid);
}

async function serviceIfAny(context: CliContext, home: Home, choice: ServiceChoice): Promise<Service | undefined> {
  try {
    return await serviceOf(context, home, choice);
  } catch (error) {
    // Without services there is still one that was started by hand.
    if (error instanceof UserError && choice.system !== true) return undefined;
    throw error;
  }
}

function tellOfLinger({ io }: CliContext): void {
  const { username } = userInfo();
  if (process.platform !== 'linux' || existsSync(`/var/lib/systemd/linger/${username}`)) return;
  io.stdout.write(`It ends when you log out, unless you allow it to stay: sudo loginctl enable-linger ${username}\n`);
}
