/** Lines that hold on to each other: each ends with the hash of itself and of the line before it. */
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';

/** Where a chain stands: the number and the hash of its last line. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** What the first line of all is chained to. */
export const beginning: Link = { seq: 0, hash: '0'.repeat(64) };

export interface ChainLine extends Link {
  readonly prev: string;
  readonly entry: JsonObject;
}

/** Longer lines are never written; so much of the end of a file holds at least one whole line. */
export const maxLineBytes = 256 * 1024;

/** Characters that move what a terminal shows, and that JSON leaves as they are. */
const unseen = /[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The entry as a line with its line break, and where the chain then stands. */
export function chain(entry: object, before: Link, time: string): { readonly line: string; readonly link: Link } {
  const seq = before.seq + 1;
  const body = JSON.stringify({ seq, time, ...entry, prev: before.hash }).replace(
    unseen,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
  const hash = sha256(before.hash + body);
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}\n`, link: { seq, hash } };
}

const hashField = /^,"hash":"([0-9a-f]{64})"}$/;
const hashFieldBytes = 75;

/**
 * The line, without its line break, when it is one and its hash fits its bytes. Looks at bytes, not at what they mean:
 * a space more is another line.
 */
export function readLine(bytes: Buffer): ChainLine | undefined {
  const hash = hashField.exec(bytes.toString('latin1', Math.max(0, bytes.length - hashFieldBytes)))?.[1];
  if (hash === undefined) return undefined;
  const body = bytes.subarray(0, bytes.length - hashFieldBytes);
  const entry = parseJson(`${body.toString('utf8')}}`);
  if (!isJsonObject(entry)) return undefined;
  const { seq, prev } = entry;
  if (typeof seq !== 'number' || typeof prev !== 'string') return undefined;
  const fits = createHash('sha256').update(prev).update(body).update('}').digest('hex') === hash;
  return fits ? { seq, prev, hash, entry } : undefined;
}

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
