/** Terminal backend `daytona`: a sandbox of Daytona, in its cloud or in an installation of one's own. */
import { join } from 'node:path';
import { modelVariables } from '../../config/model-variables.ts';
import { daytonaAccount } from '../../config/sandbox-accounts.ts';
import { createDaytonaHost } from '../../environments/daytona/daytona-host.ts';
import type { Environment } from '../../environments/environment.ts';
import { createRemoteEnvironment } from '../../environments/remote/remote-environment.ts';
import { UserError } from '../../lib/errors.ts';
import { fetchOver } from '../../lib/fetch-over.ts';
import type { BackendParts } from './backend.ts';
import { cloudOptions } from './remote-options.ts';
import { taskOf } from './task-of.ts';

export function open(parts: BackendParts): Environment {
  const { terminal } = parts.config.config;
  const { apiKey, apiUrl, target } = daytonaAccount(parts.env);
  if (apiKey === undefined) {
    throw new UserError('The daytona backend needs a key of Daytona.', {
      hint: 'hermes config set DAYTONA_API_KEY KEY',
    });
  }
  const host = createDaytonaHost({
    access: {
      apiKey,
      apiUrl,
      ...(target === undefined ? {} : { target }),
      fetch: fetchOver(modelVariables(parts.env).network),
    },
    task: taskOf(parts.home.profile),
    image: terminal.daytona_image,
    cpus: terminal.container_cpu,
    memoryMb: terminal.container_memory,
    diskMb: terminal.container_disk,
    persists: terminal.container_persistent,
    notes: join(parts.home.path, 'sandboxes', 'daytona'),
    log: parts.log.named('environments'),
  });
  return createRemoteEnvironment({ ...cloudOptions(parts), host });
}
