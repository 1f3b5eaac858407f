/** The log of the program: `agent.log` with everything, `errors.log` with what went wrong, and one of a long-lived part. */
import { join } from 'node:path';
import type { Log } from './log.ts';
import { LogFile, type LogFileLimits } from './log-file.ts';
import { isAtLeast, type LogLevel } from './log-level.ts';

export interface LogSettings extends LogFileLimits {
  /** IANA name of the zone of the times; that of the machine when absent. */
  readonly timezone?: string;
  /** Entries below it are not written. */
  readonly level: LogLevel;
}

export interface FileLogOptions {
  /** Where the files lie. Made with the first entry, when its parent exists. */
  readonly directory: string;
  readonly settings: LogSettings;
  /** Takes secrets out of a text. Called for each entry that is written, never before. */
  readonly mask: (text: string) => string;
  readonly now?: () => Date;
  /** Name of another file that gets everything too, such as `gateway.log`. */
  readonly also?: string;
  /** Told of each entry that is written, with its masked line. */
  readonly onEntry?: (level: LogLevel, line: string) => void;
}

const maxEntryChars = 8000;
const maxCauses = 5;

/**
 * Writes `YYYY-MM-DD HH:MM:SS,mmm LEVEL [session] logger: text` in local time. Further lines of an entry are indented and
 * control characters escaped, so that a line that starts with a time was written by this program. Entries are written a
 * moment later, from level ERROR on at once.
 */
export class FileLog implements Log {
  readonly #sink: Sink;
  readonly #name: string;
  readonly #session: string;

  static open(options: FileLogOptions): FileLog {
    return new FileLog(new Sink(options), '', '');
  }

  private constructor(sink: Sink, name: string, session: string) {
    this.#sink = sink;
    this.#name = name;
    this.#session = session;
  }

  debug(message: string, error?: unknown): void {
    this.#write('DEBUG', message, error);
  }

  info(message: string, error?: unknown): void {
    this.#write('INFO', message, error);
  }

  warning(message: string, error?: unknown): void {
    this.#write('WARNING', message, error);
  }

  error(message: string, error?: unknown): void {
    this.#write('ERROR', message, error);
  }

  named(name: string): FileLog {
    return new FileLog(this.#sink, this.#name === '' ? name : `${this.#name}.${name}`, this.#session);
  }

  forSession(sessionId: string): FileLog {
    return new FileLog(this.#sink, this.#name, sessionId);
  }

  /** Other settings from the next entry on, for this log and all that were made from it. */
  configure(settings: LogSettings): void {
    this.#sink.configure(settings);
  }

  /** Writes what waits before it returns; also done when the process exits. */
  flush(): void {
    this.#sink.flush();
  }

  #write(level: LogLevel, message: string, error: unknown): void {
    const origin = { name: word(this.#name) || 'hermes', session: word(this.#session) };
    this.#sink.write(level, origin, () => (error === undefined ? message : `${message}: ${describe(error, level)}`));
  }
}

/** The two files that all names and sessions of one log share. */
class Sink {
  readonly #options: FileLogOptions;
  readonly #all: LogFile;
  readonly #errors: LogFile;
  readonly #also: LogFile | undefined;
  #settings: LogSettings;

  constructor(options: FileLogOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#all = new LogFile(join(options.directory, 'agent.log'), options.settings);
    this.#errors = new LogFile(join(options.directory, 'errors.log'), options.settings);
    const { also } = options;
    this.#also = also === undefined ? undefined : new LogFile(join(options.directory, also), options.settings);
  }

  configure(settings: LogSettings): void {
    this.#settings = settings;
    this.#all.limit(settings);
    this.#errors.limit(settings);
    this.#also?.limit(settings);
  }

  write(level: LogLevel, origin: { readonly name: string; readonly session: string }, text: () => string): void {
    if (!isAtLeast(level, this.#settings.level)) return;
    const session = origin.session === '' ? '' : ` [${origin.session}]`;
    const now = (this.#options.now ?? (() => new Date()))();
    const line = `${timestamp(now, this.#settings.timezone)} ${level}${session} ${origin.name}: ${this.#body(text)}\n`;
    this.#all.append(line);
    this.#also?.append(line);
    this.#options.onEntry?.(level, line);
    if (isAtLeast(level, 'WARNING')) this.#errors.append(line);
    if (level === 'ERROR') this.flush();
  }

  flush(): void {
    this.#all.flush();
    this.#errors.flush();
    this.#also?.flush();
  }

  #body(text: () => string): string {
    try {
      // Cut twice: masking a text without end would take its time, and a cut through a secret must not show half of it.
      return bounded(continuous(this.#options.mask(text().slice(0, maxEntryChars * 4))));
    } catch {
      // What is logged may throw when it is looked at (getters, proxies); the entry alone tells that much.
      return '(an entry that could not be written)';
    }
  }
}

/** The time in a zone, or local time, as `2026-11-22 09:05:07,042`. */
function timestamp(at: Date, timeZone: string | undefined): string {
  if (timeZone !== undefined) {
    // Sweden writes dates as ISO 8601 does.
    const text = at.toLocaleString('sv-SE', { timeZone, hour12: false });
    return `${text},${String(at.getMilliseconds()).padStart(3, '0')}`;
  }
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${day} ${time},${String(at.getMilliseconds()).padStart(3, '0')}`;
}

function bounded(text: string): string {
  if (text.length <= maxEntryChars) return text;
  return `${text.slice(0, maxEntryChars).toWellFormed()}… (${text.length - maxEntryChars} more characters)`;
}

/** No line of it can be taken for the start of an entry, and nothing in it moves the cursor of a terminal. */
function continuous(text: string): string {
  return text
    .replaceAll(/[\0-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]|\r(?!\n)/g, (character) => {
      return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
    })
    .trimEnd()
    .replaceAll(/\r?\n/g, '\n    ');
}

/** Names and ids that stand in the head of an entry. */
function word(text: string): string {
  return text.replaceAll(/[^\w.:@+-]/g, '_').slice(0, 100);
}

/** The error and its causes; for errors of the program itself (level ERROR) with the places it came through. */
function describe(error: unknown, level: LogLevel): string {
  const parts: string[] = [];
  for (let current = error; current !== undefined && parts.length < maxCauses; ) {
    parts.push(describeOne(current, level));
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.join(level === 'ERROR' ? '\ncaused by: ' : '; caused by: ');
}

function describeOne(error: unknown, level: LogLevel): string {
  if (!(error instanceof Error)) return String(error);
  const plain = `${error.name}: ${error.message}`;
  return level === 'ERROR' ? (error.stack ?? plain) : plain;
}
