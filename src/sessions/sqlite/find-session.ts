/** From what a person types (id, beginning of an id, title) to one session, and from a title to the next free one. */
import { UserError } from '../../lib/errors.ts';
import type { SessionRow } from '../sessions.ts';
import { baseTitle, cleanTitle, titleNumber } from '../titles.ts';
import { text } from './columns.ts';
import type { Connection } from './connection.ts';
import { findSession, readSession } from './session-row.ts';

// More links than any real lineage has; a circle in a damaged database must not hang a resume.
const MAX_CHAIN = 1000;

/** `%`, `_` and `\` taken literally, for `LIKE … ESCAPE '\'`. */
export function likeLiteral(value: string): string {
  return value.replace(/[\\%_]/g, String.raw`\$&`);
}

/** Exact id, else unique beginning of an id. Throws `UserError` when several begin so. */
export function findById(db: Connection, reference: string): SessionRow | undefined {
  const matches = idMatches(db, reference);
  if (matches.length > 1) throw ambiguous(reference, matches);
  return matches[0];
}

/** Id, unique beginning of an id, or title; then down the chain of compressions. Throws `UserError` when ambiguous. */
export function resolveSession(db: Connection, reference: string): SessionRow | undefined {
  const matches = idMatches(db, reference);
  const found = matches.length === 1 ? matches[0] : findByTitle(db, reference);
  if (found === undefined && matches.length > 1) throw ambiguous(reference, matches);
  return found && liveSession(db, found);
}

/** Stores the cleaned title; null clears it. Throws `UserError` when it is too long or belongs to another session. */
export function setTitle(db: Connection, id: string, title: string): string | null {
  const clean = cleanTitle(title);
  const owner = clean === null ? undefined : db.get('SELECT id FROM sessions WHERE title = ? AND id <> ?', clean, id);
  if (owner !== undefined) {
    throw new UserError(`Title '${clean}' is already in use by session ${text(owner, 'id')}.`, {
      hint: 'Choose another title, or rename that session first.',
    });
  }
  const { changes } = db.run('UPDATE sessions SET title = ? WHERE id = ?', clean, id);
  if (changes === 0) throw new UserError(`Session '${id}' not found.`);
  return clean;
}

/** `base`, or `base #N` with N one above the highest in use. */
export function nextTitle(db: Connection, title: string): string {
  const base = baseTitle(title);
  const numbers = lineage(db, base).flatMap((row) => titleNumber(row.title ?? '', base) ?? []);
  return numbers.length === 0 ? base : `${base} #${Math.max(...numbers) + 1}`;
}

function idMatches(db: Connection, reference: string): SessionRow[] {
  if (reference.trim() === '') return [];
  const exact = findSession(db, reference);
  if (exact) return [exact];
  // `LIKE` ignores the case of letters; ids do not.
  return db
    .all(
      String.raw`SELECT * FROM sessions WHERE id LIKE ? ESCAPE '\' AND substr(id, 1, length(?)) = ?
         ORDER BY started_at DESC LIMIT 6`,
      `${likeLiteral(reference)}%`,
      reference,
      reference,
    )
    .map(readSession);
}

function ambiguous(reference: string, matches: readonly SessionRow[]): UserError {
  const shown = matches.slice(0, 5).map((row) => row.id);
  const list = matches.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ');
  return new UserError(`Session '${reference}' is ambiguous: it is the beginning of ${list}.`, {
    hint: 'Give more characters of the id.',
  });
}

/** The newest `title #N` if there is any, else the exact match. */
function findByTitle(db: Connection, title: string): SessionRow | undefined {
  const rows = lineage(db, title);
  return rows.find((row) => row.title !== title) ?? rows[0];
}

/** Sessions titled `base` or `base #N`, newest first. */
function lineage(db: Connection, base: string): SessionRow[] {
  return db
    .all(
      String.raw`SELECT * FROM sessions WHERE title = ? OR title LIKE ? ESCAPE '\' ORDER BY started_at DESC, rowid DESC`,
      base,
      `${likeLiteral(base)} #%`,
    )
    .map(readSession)
    .filter((row) => titleNumber(row.title ?? '', base) !== undefined);
}

/** A compressed session lives on in the newest child that was begun when it ended and has messages. */
function liveSession(db: Connection, session: SessionRow): SessionRow {
  let live = session;
  for (let link = 0; link < MAX_CHAIN && live.end_reason === 'compression'; link += 1) {
    // Older children are subagents, not continuations.
    const child = db.get(
      `SELECT * FROM sessions WHERE parent_session_id = ? AND source <> 'tool' AND message_count > 0
         AND started_at >= ? ORDER BY started_at DESC, rowid DESC LIMIT 1`,
      live.id,
      live.ended_at ?? 0,
    );
    if (child === undefined) break;
    live = readSession(child);
  }
  return live;
}
