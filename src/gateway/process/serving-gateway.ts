/** Whether a profile is served by the gateway of the default profile, so that it has no use for one of its own. */
import { DEFAULT_PROFILE, type Home } from '../../config/home.ts';
import { UserError } from '../../lib/errors.ts';
import type { ProcessRecord } from './process-record.ts';
import { runningGateway } from './running-gateway.ts';
import { readGatewayState } from './state-file.ts';

/** The gateway that serves all profiles, this one among them, as it runs now; undefined when there is none. */
export function servingGateway({ root, profile }: Home): ProcessRecord | undefined {
  if (profile === DEFAULT_PROFILE) return undefined;
  const running = runningGateway(root);
  const state = running === undefined ? undefined : readGatewayState(root);
  return state?.served_profiles !== undefined && state.pid === running?.pid ? running : undefined;
}

/** Throws `UserError` for a profile that would have two gateways. Its exit code keeps a service from trying again. */
export function refuseSecondGateway(home: Home): void {
  const serving = servingGateway(home);
  if (serving === undefined) return;
  throw new UserError(
    `The gateway of the default profile (pid ${serving.pid}) serves profile ${home.profile} too: gateway.multiplex_profiles is on.`,
    { hint: 'That one is told what to do: hermes -p default gateway restart (or stop, or status)', exitCode: 78 },
  );
}
