/** The service of a home on this machine. */
import { join } from 'node:path';
import { userDirectory } from '../../config/home.ts';
import type { Variables } from '../../config/variables.ts';
import { UserError } from '../../lib/errors.ts';
import { Launchd } from './launchd.ts';
import { launchdPlist } from './launchd-plist.ts';
import { type RunProgram, type Service, type ServiceFacts, serviceSuffix } from './service.ts';
import { Systemd } from './systemd.ts';
import { systemdUnit } from './systemd-unit.ts';

export interface OpenServiceOptions {
  readonly facts: ServiceFacts;
  readonly env: Variables;
  readonly run: RunProgram;
  /** A unit of the system that runs as this user. Linux only. */
  readonly system?: { readonly runAs: string };
}

/** Throws `UserError` on systems without services that we know. */
export function openService({ facts, env, run, system }: OpenServiceOptions): Service {
  const own = userDirectory(env);
  const suffix = serviceSuffix(facts.home, own);
  if (process.platform === 'darwin') {
    if (system !== undefined) throw new UserError('--system is for Linux; launchd starts the gateway at login.');
    const label = `ai.hermes.gateway${suffix}`;
    const file = join(own, 'Library', 'LaunchAgents', `${label}.plist`);
    return new Launchd({ label, file, plist: launchdPlist(label, facts), uid: process.getuid?.() ?? 0, run });
  }
  if (process.platform !== 'linux') {
    throw new UserError('The gateway can be a service on Linux and macOS only.', {
      hint: 'Run it in a terminal: hermes gateway run',
    });
  }
  const name = `hermes-gateway${suffix}.service`;
  return new Systemd({
    file: system === undefined ? userUnit(env, name) : join('/etc/systemd/system', name),
    unit: systemdUnit(facts, system?.runAs),
    scope: system === undefined ? 'user' : 'system',
    isRoot: process.getuid?.() === 0,
    run,
  });
}

/** Where the units of a user stand. */
export function userUnit(env: Variables, name: string): string {
  return join(userDirectory(env), '.config', 'systemd', 'user', name);
}
