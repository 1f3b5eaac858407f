/** From what a person types (id, beginning of an id, title) to one session, and from a title to the next free one. */
import { MAX_LINEAGE } from '../lineage.ts';
import { ambiguousReference, MAX_MATCHES, missingSession } from '../session-references.ts';
import type { SessionRow } from '../sessions.ts';
import { baseTitle, chooseByTitle, cleanTitle, isOfLineage, numberTitle, takenTitle } from '../titles.ts';
import { numberOrNull, text } from './columns.ts';
import type { Connection } from './connection.ts';
import { mayGoOn } from './lineage.ts';
import { findSession, readSession } from './session-row.ts';

/** `%`, `_` and `\` taken literally, for `LIKE … ESCAPE '\'`. */
export function likeLiteral(value: string): string {
  return value.replace(/[\\%_]/g, String.raw`\$&`);
}

/** Exact id, else unique beginning of an id. Throws `UserError` when several begin so. */
export function findById(db: Connection, reference: string): SessionRow | undefined {
  const matches = idMatches(db, reference);
  if (matches.length > 1) throw ambiguousReference(reference, matches);
  return matches[0];
}

/** Id, unique beginning of an id, or title; then down the chain of compressions. Throws `UserError` when ambiguous. */
export function resolveSession(db: Connection, reference: string): SessionRow | undefined {
  const matches = idMatches(db, reference);
  const found = matches.length === 1 ? matches[0] : chooseByTitle(titledLike(db, reference), reference);
  if (found === undefined && matches.length > 1) throw ambiguousReference(reference, matches);
  return found && liveSession(db, found);
}

/** The newest of a title's lineage, then down the chain of compressions. */
export function findByTitle(db: Connection, title: string): SessionRow | undefined {
  const found = chooseByTitle(titledLike(db, title), title);
  return found && liveSession(db, found);
}

/** Stores the cleaned title; null clears it. Throws `UserError` when it is too long or belongs to another session. */
export function setTitle(db: Connection, id: string, title: string): string | null {
  const clean = cleanTitle(title);
  const owner = clean === null ? undefined : db.get('SELECT id FROM sessions WHERE title = ? AND id <> ?', clean, id);
  if (clean !== null && owner !== undefined) {
    if (!goesOnFrom(db, id, text(owner, 'id'))) throw takenTitle(clean, text(owner, 'id'));
    db.run('UPDATE sessions SET title = NULL WHERE id = ?', text(owner, 'id'));
  }
  const { changes } = db.run('UPDATE sessions SET title = ? WHERE id = ?', clean, id);
  if (changes === 0) throw missingSession(id);
  return clean;
}

/** True when the session came of the other one through compactions alone: they are one conversation. */
function goesOnFrom(db: Connection, id: string, ancestor: string): boolean {
  let child = findSession(db, id);
  for (let link = 0; link < MAX_LINEAGE && child?.parent_session_id != null; link += 1) {
    const parent = findSession(db, child.parent_session_id);
    if (parent?.end_reason !== 'compression') return false;
    if (parent.id === ancestor) return true;
    child = parent;
  }
  return false;
}

/** `base`, or `base #N` with N one above the highest in use. */
export function nextTitle(db: Connection, title: string): string {
  const base = baseTitle(title);
  // A number may be longer than any integer; only digits count.
  const found = db.get(
    `SELECT max(CASE title WHEN ?1 THEN 1 ELSE CAST(substr(title, length(?1) + 3) AS REAL) END) AS highest FROM sessions
       WHERE title = ?1 OR (${numberedTitle} AND substr(title, length(?1) + 3) NOT GLOB '*[^0-9]*')`,
    base,
  );
  return numberTitle(base, found && numberOrNull(found, 'highest'));
}

const MAX_GIVEN = 100;

/** The numbers of the titles that were given last, so that of thousands of conversations of one name not all are counted. */
export class GivenTitles {
  /** The highest number of each name. */
  readonly #highest = new Map<string, number>();

  /** As `nextTitle`, but for what another process has numbered higher since: then it is another free one. */
  next(db: Connection, title: string): string {
    const base = baseTitle(title);
    const known = this.#highest.get(base);
    const following = known === undefined ? undefined : numberTitle(base, known);
    const isNext =
      following !== undefined && isTaken(db, numberTitle(base, (known ?? 0) - 1)) && !isTaken(db, following);
    return isNext ? following : nextTitle(db, title);
  }

  /** This title was given; any other way in which titles change makes them unknown. */
  given(title: string): void {
    const base = baseTitle(title);
    this.#highest.delete(base);
    if (title !== base) this.#highest.set(base, Number(title.slice(base.length + 2)));
    const [oldest] = this.#highest.keys();
    if (this.#highest.size > MAX_GIVEN && oldest !== undefined) this.#highest.delete(oldest);
  }

  forget(): void {
    this.#highest.clear();
  }
}

function isTaken(db: Connection, title: string): boolean {
  return db.get('SELECT 1 FROM sessions WHERE title = ?', title) !== undefined;
}

function idMatches(db: Connection, reference: string): SessionRow[] {
  if (reference.trim() === '') return [];
  const exact = findSession(db, reference);
  if (exact) return [exact];
  // `LIKE` ignores the case of letters; ids do not.
  return db
    .all(
      String.raw`SELECT * FROM sessions WHERE id LIKE ? ESCAPE '\' AND substr(id, 1, length(?)) = ?
         ORDER BY started_at DESC LIMIT ${MAX_MATCHES}`,
      `${likeLiteral(reference)}%`,
      reference,
      reference,
    )
    .map(readSession);
}

/** SQL: the title begins with the parameter 1 and ` #`. As a range, which the index of titles answers; `$` follows `#`. */
const numberedTitle = "(title > ?1 || ' #' AND title < ?1 || ' $')";

/** Sessions titled `base` or `base #N`, newest first. */
function titledLike(db: Connection, base: string): SessionRow[] {
  return db
    .all(`SELECT * FROM sessions WHERE title = ?1 OR ${numberedTitle} ORDER BY started_at DESC, rowid DESC`, base)
    .map(readSession)
    .filter((row) => isOfLineage(row.title, base));
}

/**
 * Where a conversation goes on: down the chain of compactions, then to the newest child that holds messages. What has
 * none does not take over.
 */
export function liveSession(db: Connection, session: SessionRow): SessionRow {
  let live = session;
  let at = session;
  const seen = new Set([session.id]);
  for (let step = 0; step < MAX_COMPACTIONS; step += 1) {
    const child = at.end_reason === 'compression' ? childOf(db, at.id, bestContinuation) : undefined;
    if (child === undefined || seen.has(child.id)) break;
    seen.add(child.id);
    at = child;
    if (holdsMessages(db, at.id)) live = at;
  }
  for (let step = 0; step < MAX_CHILDREN; step += 1) {
    const child = childOf(db, at.id, 'c.started_at DESC, c.id DESC');
    if (child === undefined || seen.has(child.id)) break;
    seen.add(child.id);
    at = child;
    if (holdsMessages(db, at.id)) live = at;
  }
  return live;
}

/** As in the original, so that both programs go on with the same session. */
const MAX_COMPACTIONS = 100;
const MAX_CHILDREN = 32;
const bestContinuation = `
  CASE WHEN c.end_reason = 'compression' THEN 0 WHEN c.ended_at IS NULL THEN 1 ELSE 2 END,
  COALESCE((SELECT max(m.timestamp) FROM messages m WHERE m.session_id = c.id), c.started_at) DESC,
  c.started_at DESC, c.id DESC`;

function childOf(db: Connection, id: string, order: string): SessionRow | undefined {
  const row = db.get(
    `SELECT c.* FROM sessions c WHERE c.parent_session_id = ? AND ${mayGoOn('c')} ORDER BY ${order} LIMIT 1`,
    id,
  );
  return row && readSession(row);
}

function holdsMessages(db: Connection, id: string): boolean {
  return db.get('SELECT 1 FROM messages WHERE session_id = ? LIMIT 1', id) !== undefined;
}
