/**
 * How serious an entry of a log is, from the least to the most; the words of Python's `logging`
 * (https://docs.python.org/3/library/logging.html#logging-levels).
 */
export const logLevels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;
export type LogLevel = (typeof logLevels)[number];

/** True when `level` is `min` or more serious. */
export function isAtLeast(level: LogLevel, min: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(min);
}
