/** What connections need, made from what the process has; shared by all servers of it. */
import { join } from 'node:path';
import { OwnProcesses } from '../environments/local/own-processes.ts';
import { LogFile } from '../lib/log-file.ts';
import type { ConnectPorts } from './connect.ts';
import type { McpOptions } from './options.ts';
import { StderrLog } from './stderr-log.ts';

export interface OpenedPorts {
  readonly ports: ConnectPorts;
  /** Ends every process that was started with them. */
  readonly close: () => Promise<void>;
}

export function openPorts(options: Omit<McpOptions, 'discoveryMs' | 'waits'>): OpenedPorts {
  const { homePath, cwd, variables, network, version, log, osvEndpoint } = options;
  const processes = new OwnProcesses(log);
  const file = new LogFile(join(homePath, 'logs', 'mcp-stderr.log'), { maxBytes: 5_000_000, backups: 1 });
  const stderr = new StderrLog(file);
  return {
    ports: {
      homePath,
      cwd,
      variables,
      network,
      processes,
      version,
      log,
      onStart: (server) => stderr.started(server),
      onComplaint: (server, text) => stderr.write(server, text),
      async authProvider(name, reach) {
        const { ServerLogin } = await import('./oauth/server-login.ts');
        return new ServerLogin({ name, reach, homePath, network, log });
      },
      ...(osvEndpoint === undefined ? {} : { osvEndpoint }),
    },
    async close() {
      await processes.endAll();
      processes.release();
    },
  };
}
