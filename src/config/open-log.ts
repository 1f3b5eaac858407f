/** The log of a home, with the settings that its configuration has for it. */
import { join } from 'node:path';
import { FileLog, type FileLogOptions, type LogSettings } from '../lib/file-log.ts';
import type { LogFileLimits } from '../lib/log-file.ts';
import type { Home } from './home.ts';
import type { Config } from './schema.ts';

/**
 * Opens nothing yet: directory and files are made with the first entry. `mask` takes secrets out of a text. Until the
 * configuration is known (`log.configure(logSettings(config))`) the defaults hold.
 */
export function openLog(
  home: Home,
  mask: (text: string) => string,
  more: Pick<FileLogOptions, 'also' | 'onEntry'> = {},
): FileLog {
  const settings: LogSettings = { level: 'INFO', maxBytes: 5 * megabyte, backups: 3 };
  return FileLog.open({ directory: join(home.path, 'logs'), settings, mask, ...more });
}

/** The section `logging`, and the zone of its times. */
export function logSettings({ logging, timezone }: Pick<Config, 'logging' | 'timezone'>): LogSettings {
  const zone = timezone === '' ? {} : { timezone };
  return { ...zone, level: logging.level, maxBytes: logging.max_size_mb * megabyte, backups: logging.backup_count };
}

/** How much of the audit log is kept. */
export function auditLimits({ logging }: Pick<Config, 'logging'>): LogFileLimits {
  return { maxBytes: logging.audit_max_size_mb * megabyte, backups: logging.audit_backup_count };
}

const megabyte = 1024 * 1024;
