/** Reads a few messages around one, so that a long session is never read whole for an excerpt. */
import type { AroundOptions, MessagePlace, TranscriptPart } from '../messages.ts';
import { number } from './columns.ts';
import type { Connection, Row, Value } from './connection.ts';
import { readMessages } from './message-log.ts';
import { notUndone, putAway } from './visibility.ts';

/** Undefined when the session has no such message. */
export function readAround(
  db: Connection,
  { sessionId, messageId }: MessagePlace,
  { span, ends = 0, roles, putAway: away = false }: AroundOptions,
): TranscriptPart | undefined {
  const nearest = { db, sessionId, roles, seen: away ? putAway('messages') : 'active = 1' };
  const [newest] = messageId === undefined ? atEnd(nearest, 'end', 1) : [];
  const middle =
    messageId === undefined
      ? newest
      : db.get(
          `SELECT * FROM messages WHERE id = ? AND session_id = ? AND ${notUndone('messages')}`,
          messageId,
          sessionId,
        );
  if (middle === undefined) return undefined;
  // What was compacted away stands among its own neighbours, not among those that went on.
  const other = !away && number(middle, 'active') === 0;
  const scope = other ? { ...nearest, seen: notUndone('messages') } : nearest;
  const rows = [...beside(scope, middle, 'before', span).toReversed(), middle, ...beside(scope, middle, 'after', span)];
  const [first = middle, last = middle] = [rows[0], rows.at(-1)];
  return {
    first: readMessages(atEnd(scope, 'start', ends)),
    around: readMessages(rows),
    last: readMessages(atEnd(scope, 'end', ends).toReversed()),
    before: count(scope, first, 'before'),
    after: count(scope, last, 'after'),
  };
}

interface Scope {
  readonly db: Connection;
  readonly sessionId: string;
  readonly roles: readonly string[] | undefined;
  /** A condition on the rows that count. */
  readonly seen: string;
}

type Side = 'before' | 'after';

const compare = { before: '<', after: '>' } as const;
const order = { before: 'DESC', after: 'ASC' } as const;

/** The nearest first. */
function beside({ db, sessionId, roles, seen }: Scope, row: Row, side: Side, limit: number): Row[] {
  const [condition, values] = ofRoles(roles);
  return db.all(
    `SELECT * FROM messages WHERE session_id = ? AND ${seen} AND id ${compare[side]} ? ${condition}
     ORDER BY id ${order[side]} LIMIT ?`,
    sessionId,
    number(row, 'id'),
    ...values,
    limit,
  );
}

/** The outermost first. */
function atEnd({ db, sessionId, roles, seen }: Scope, end: 'start' | 'end', limit: number): Row[] {
  const [condition, values] = ofRoles(roles);
  const direction = end === 'start' ? 'ASC' : 'DESC';
  return db.all(
    `SELECT * FROM messages WHERE session_id = ? AND ${seen} ${condition} ORDER BY id ${direction} LIMIT ?`,
    sessionId,
    ...values,
    limit,
  );
}

function count({ db, sessionId, seen }: Scope, row: Row, side: Side): number {
  const counted = db.get(
    `SELECT count(*) AS n FROM messages WHERE session_id = ? AND ${seen} AND id ${compare[side]} ?`,
    sessionId,
    number(row, 'id'),
  );
  return number(counted ?? {}, 'n');
}

function ofRoles(roles: readonly string[] | undefined): [string, Value[]] {
  return roles === undefined ? ['', []] : [`AND role IN (${roles.map(() => '?').join(', ')})`, [...roles]];
}
