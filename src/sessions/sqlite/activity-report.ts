/** What `insights` says of conversations: where, when and with which tools they were held, and which stand out. */
import type { NotableSession, UsageReport } from '../usage-log.ts';
import { number, text } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { putAway } from './visibility.ts';

interface Scope {
  /** Unix seconds. */
  readonly since: number;
  readonly source?: string;
}

/** What was said and done. What a compaction copied counts once. */
export function activityReport(db: Connection, { since, source }: Scope): Omit<UsageReport, 'models' | 'days'> {
  const values = [since, source ?? null];
  const all = (columns: string, rest: string): Row[] =>
    db.all(
      `SELECT ${columns} FROM messages JOIN sessions ON sessions.id = session_id WHERE ${counted} ${rest}`,
      ...values,
    );
  const at = (format: string): string => `strftime('${format}', timestamp, 'unixepoch', 'localtime')`;
  const [total = {}] = all(
    "count(DISTINCT session_id) AS sessions, sum(role = 'user') AS questions, count(*) AS messages",
    '',
  );
  const tools = all('tool_name AS name, count(*) AS uses', `AND ${isToolUse} GROUP BY 1 ORDER BY 2 DESC LIMIT 20`);
  const platforms = all(
    'sessions.source AS name, count(DISTINCT session_id) AS sessions, count(*) AS messages',
    'GROUP BY 1 ORDER BY 2 DESC, 3 DESC',
  );
  const weekdays = all(`${at('%w')} AS day, count(*) AS questions`, "AND role = 'user' GROUP BY 1");
  const hours = all(`${at('%H')} AS hour, count(*) AS questions`, "AND role = 'user' GROUP BY 1 ORDER BY 2 DESC, 1");
  const each = all(
    `session_id AS id, sessions.title AS title, count(*) AS messages, max(timestamp) - min(timestamp) AS seconds,
     sum(${isToolUse}) AS tools, sessions.input_tokens + sessions.output_tokens AS tokens`,
    'GROUP BY 1',
  );
  return {
    sessions: number(total, 'sessions'),
    questions: number(total, 'questions'),
    messages: number(total, 'messages'),
    tools: tools.map((row) => ({ name: text(row, 'name'), uses: number(row, 'uses') })),
    platforms: platforms.map((row) => ({
      name: text(row, 'name'),
      sessions: number(row, 'sessions'),
      messages: number(row, 'messages'),
    })),
    weekdays: weekdays.map((row) => ({ day: number(row, 'day'), questions: number(row, 'questions') })),
    hours: hours.map((row) => ({ hour: number(row, 'hour'), questions: number(row, 'questions') })),
    notable: (['seconds', 'messages', 'tools', 'tokens'] as const).flatMap((most) => foremost(each, most)),
  };
}

const counted = `timestamp >= ?1 AND (?2 IS NULL OR sessions.source = ?2)
  AND (messages.active = 1 OR ${putAway('messages')})`;
const isToolUse = "(role = 'tool' AND tool_name IS NOT NULL)";

function foremost(rows: readonly Row[], most: NotableSession['most']): NotableSession[] {
  const [first, ...rest] = rows;
  if (first === undefined) return [];
  const found = rest.reduce((best, row) => (number(row, most) > number(best, most) ? row : best), first);
  const value = Math.round(number(found, most));
  return value > 0 ? [{ most, id: text(found, 'id'), title: text(found, 'title'), value }] : [];
}
