/** Which lines of a log a person wants to see. */
import { UserError } from '../../lib/errors.ts';
import { isAtLeast, type LogLevel, logLevels } from '../../lib/log-level.ts';

export interface LogFilter {
  readonly level?: LogLevel;
  /** Part of a session id. */
  readonly session?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly component?: string;
}

/** Beginnings of logger names; those of the original stand in the logs of an older home. */
const components: Readonly<Record<string, readonly string[]>> = {
  gateway: ['gateway'],
  agent: ['agent', 'runtime', 'sessions', 'providers', 'credentials', 'llm', 'run_agent', 'model_tools'],
  tools: ['tools', 'environments', 'mcp'],
  cli: ['cli', 'commands', 'hermes_cli'],
  cron: ['cron'],
  gui: ['gui', 'http', 'hermes_cli.web'],
};

/** `YYYY-MM-DD HH:MM:SS,mmm LEVEL [session] logger: text`, the session being there for some entries only. */
const entry =
  /^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:,(?<ms>\d{3}))? +(?:(?<level>DEBUG|INFO|WARNING|ERROR|CRITICAL)\b *)?(?:\[(?<session>[^\]]*)\] *)?(?:(?<logger>[\w.:@+-]+): )?/;
const bareLevel = /^(DEBUG|INFO|WARNING|ERROR|CRITICAL)\b/;

/**
 * Tells for line after line whether it is shown. A line without a time passes `since` and one without a level passes
 * `level`; as to session and component, lines that begin no entry go with the entry they follow.
 */
export class LogLines {
  readonly #filter: LogFilter;
  #follows = false;

  constructor(filter: LogFilter) {
    this.#filter = filter;
    this.#follows = filter.session === undefined && filter.component === undefined;
  }

  shows(line: string): boolean {
    const found = entry.exec(line)?.groups;
    const level = levelOf(found?.['level'] ?? bareLevel.exec(line)?.[1]);
    if (found !== undefined) this.#follows = this.#isOfOrigin(found['session'], found['logger']);
    if (!this.#follows) return false;
    if (this.#filter.level !== undefined && level !== undefined && !isAtLeast(level, this.#filter.level)) return false;
    if (this.#filter.since === undefined || found?.['time'] === undefined) return true;
    return Date.parse(`${found['time'].replace(' ', 'T')}.${found['ms'] ?? '000'}`) >= this.#filter.since;
  }

  #isOfOrigin(session = '', logger = ''): boolean {
    if (this.#filter.session !== undefined && !session.includes(this.#filter.session)) return false;
    const names = components[this.#filter.component ?? ''];
    return names === undefined || names.some((name) => logger === name || logger.startsWith(`${name}.`));
  }
}

function levelOf(text: string | undefined): LogLevel | undefined {
  return logLevels.find((level) => level === text?.trim().toUpperCase());
}

/** What the flags say. Throws `UserError` for a word that is none of those known. */
export function readFilter(
  flags: { level?: string; session?: string; since?: string; component?: string },
  now: number,
): LogFilter {
  const level = levelOf(flags.level);
  if (flags.level !== undefined && level === undefined) throw unknown('level', flags.level, logLevels);
  const component = flags.component?.trim().toLowerCase();
  if (component !== undefined && !Object.hasOwn(components, component)) {
    throw unknown('component', component, Object.keys(components));
  }
  return {
    ...(level === undefined ? {} : { level }),
    ...(component === undefined ? {} : { component }),
    ...(flags.session === undefined ? {} : { session: flags.session }),
    ...(flags.since === undefined ? {} : { since: now - duration(flags.since) }),
  };
}

function unknown(what: string, word: string, known: readonly string[]): UserError {
  return new UserError(`Unknown ${what} '${word}'. Known: ${known.join(', ')}`);
}

const unitMs = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

function duration(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/i.exec(text.trim()) ?? [];
  if (amount === undefined) throw new UserError(`Cannot read '${text}' as a time. Use for example 30s, 30m, 1h or 2d.`);
  return Number(amount) * (unitMs.get(unit.toLowerCase()) ?? 0);
}
