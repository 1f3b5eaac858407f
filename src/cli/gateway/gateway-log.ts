/** The log of a gateway: that of its home, a file of its own, and the terminal if it is wanted there. */
import type { Home } from '../../config/home.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { logSettings, openLog } from '../../config/open-log.ts';
import type { FileLog } from '../../lib/file-log.ts';
import type { Io } from '../../lib/io.ts';
import { isAtLeast, type LogLevel } from '../../lib/log-level.ts';

export interface LogOptions {
  /** 1: from INFO on; 2: all of it. */
  readonly verbose: number;
  readonly quiet?: true;
  readonly mask: (text: string) => string;
}

export interface LogPlace {
  readonly home: Home;
  readonly io: Io;
  readonly config: LoadedConfig['config'];
}

export function openGatewayLog({ home, io, config }: LogPlace, { verbose, quiet, mask }: LogOptions): FileLog {
  const shown: LogLevel | undefined = quiet === true || verbose === 0 ? undefined : verbose === 1 ? 'INFO' : 'DEBUG';
  const log = openLog(home, mask, {
    also: 'gateway.log',
    onEntry(level, line) {
      if (shown !== undefined && isAtLeast(level, shown)) io.stderr.write(line);
    },
  });
  const settings = logSettings(config);
  log.configure(shown === undefined ? settings : { ...settings, level: shown });
  return log;
}
