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
  /** Who called sudo. */
  readonly sudoUser: string | undefined;
}

export function gatewayProcessSettings(env: Variables): GatewayProcessSettings {
  const state = filled(env['XDG_STATE_HOME']) ?? join(userDirectory(env), '.local', 'state');
  return {
    lockDirectory: filled(env['HERMES_GATEWAY_LOCK_DIR']) ?? join(state, 'hermes', 'gateway-locks'),
    supervised: isOn(env['HERMES_GATEWAY_EXTERNAL_SUPERVISOR']) || isUnderSupervisor(env),
    path: filled(env['PATH']) ?? '/usr/local/bin:/usr/bin:/bin',
    sudoUser: filled(env['SUDO_USER']),
  };
}

/** systemd and launchd name the unit to what they start; what that starts in turn inherits the name. */
function isUnderSupervisor(env: Variables): boolean {
  if (env['XPC_SERVICE_NAME']?.startsWith('ai.hermes.gateway') === true) return true;
  return filled(env['INVOCATION_ID']) !== undefined && filled(env['SYSTEMD_EXEC_PID']) === String(process.pid);
}
