/** Terminal backend `daytona`: a sandbox of Daytona, in its cloud or in an installation of one's own. */
import { join } from 'node:path';
import { modelVariables } from '../../config/model-variables.ts';
import { createDaytonaHost } from '../../environments/daytona/daytona-host.ts';
import type { Environment } from '../../environments/environment.ts';
import { createRemoteEnvironment } from '../../environments/remote/remote-environment.ts';
import { UserError } from '../../lib/errors.ts';
import { fetchOver } from '../../lib/fetch-over.ts';
import type { BackendParts } from './backend.ts';
import { cloudTask, fileSync, remoteOptions, sandboxDirectory } from './remote-options.ts';

export function open(parts: BackendParts): Environment {
  const { terminal } = parts.config.config;
  const { apiKey, apiUrl, target } = parts.config.process.daytona;
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
    task: cloudTask(parts),
    image: terminal.daytona_image,
    cpus: terminal.container_cpu,
    memoryMb: terminal.container_memory,
    diskMb: terminal.container_disk,
    persists: terminal.container_persistent,
    notes: join(sandboxDirectory(parts), 'daytona'),
    log: parts.log.named('environments'),
  });
  return createRemoteEnvironment({ ...remoteOptions(parts), host, sync: fileSync(parts) });
}
