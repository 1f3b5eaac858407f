/** What the process of the gateway is told of its surroundings by variables. */
import { join } from 'node:path';
import { filled, isOn } from './env-values.ts';
import { userDirectory } from './home.ts';
import type { Variables } from './variables.ts';

export interface GatewayProcessSettings {
  /** Where the gateways of this machine keep apart who uses which account. */
  readonly lockDirectory: string;
  /** Something outside starts the gateway again when it ends. */
  readonly supervised: boolean;
  /** Where a service looks for programs: as the shell that installs it. */
  readonly path: string;
  /** Its unit wants to be told when it is ready, and how it is. */
  readonly notifies: boolean;
  /** How often it has to give a sign of life, in milliseconds. */
  readonly watchdogMs: number | undefined;
  /** Who called sudo. */
  readonly sudoUser: string | undefined;
}

export function gatewayProcessSettings(env: Variables): GatewayProcessSettings {
  const state = filled(env['XDG_STATE_HOME']) ?? join(userDirectory(env), '.local', 'state');
  return {
    lockDirectory: filled(env['HERMES_GATEWAY_LOCK_DIR']) ?? join(state, 'hermes', 'gateway-locks'),
    supervised: isOn(env['HERMES_GATEWAY_EXTERNAL_SUPERVISOR']) || isUnderSupervisor(env),
    path: filled(env['PATH']) ?? '/usr/local/bin:/usr/bin:/bin',
    notifies: filled(env['NOTIFY_SOCKET']) !== undefined,
    watchdogMs: watchdogMs(env),
    sudoUser: filled(env['SUDO_USER']),
  };
}

/** It is meant for one process; what that starts inherits the variable. */
function watchdogMs(env: Variables): number | undefined {
  const pid = filled(env['WATCHDOG_PID']);
  const ms = Number(env['WATCHDOG_USEC']) / 1000;
  return Number.isFinite(ms) && ms > 0 && (pid === undefined || pid === String(process.pid)) ? ms : undefined;
}

/** systemd and launchd name the unit to what they start; what that starts in turn inherits the name. */
function isUnderSupervisor(env: Variables): boolean {
  if (env['XPC_SERVICE_NAME']?.startsWith('ai.hermes.gateway') === true) return true;
  return filled(env['INVOCATION_ID']) !== undefined && filled(env['SYSTEMD_EXEC_PID']) === String(process.pid);
}
