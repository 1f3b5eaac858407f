/** Terminal backend `modal` through the tool gateway of Nous Portal. */
import { join } from 'node:path';
import { modelVariables } from '../../config/model-variables.ts';
import type { GatewayDoor } from '../../config/tool-gateway.ts';
import type { Environment } from '../../environments/environment.ts';
import { createGatewayHost } from '../../environments/modal/gateway-host.ts';
import { createRemoteEnvironment, type PlaceSync } from '../../environments/remote/remote-environment.ts';
import { UserError } from '../../lib/errors.ts';
import { fetchOver } from '../../lib/fetch-over.ts';
import type { BackendParts } from './backend.ts';
import { fileSync, remoteOptions } from './remote-options.ts';
import { taskOf } from './task-of.ts';

/**
 * The sandbox stands in an account of the vendor: files with credentials of the owner do not go there.
 * @param credentials what the settings and skills want to have there by now
 */
export function openBehindGateway(
  parts: BackendParts,
  door: GatewayDoor,
  credentials: () => readonly string[],
): Environment {
  const { terminal } = parts.config.config;
  const refuse = (): void => refuseCredentials(credentials());
  refuse();
  const host = createGatewayHost({
    access: { door, fetch: fetchOver(modelVariables(parts.env).network) },
    task: taskOf(parts.home.profile),
    image: terminal.modal_image,
    cpus: terminal.container_cpu,
    memoryMb: terminal.container_memory,
    persists: terminal.container_persistent,
    idleMs: terminal.lifetime_seconds * 2000,
    notes: join(parts.home.path, 'sandboxes', 'modal-gateway'),
    log: parts.log.named('environments'),
  });
  return createRemoteEnvironment({ ...remoteOptions(parts), host, sync: refusing(fileSync(parts), refuse) });
}

/** A skill may ask for a file when the sandbox runs already. */
function refusing(sync: PlaceSync, refuse: () => void): PlaceSync {
  return {
    async before(place, home) {
      refuse();
      await sync.before(place, home);
    },
    atClose: (place, home) => sync.atClose(place, home),
  };
}

function refuseCredentials([first, ...others]: readonly string[]): void {
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new UserError(
    `Credential files (${first}${more}) do not go to a sandbox of the tool gateway, so no command runs there.`,
    {
      hint: 'Take a token of your own at Modal (hermes config set terminal.modal_mode direct), or do without the skills and terminal.credential_files that want them.',
    },
  );
}
