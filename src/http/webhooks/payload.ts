/** What a delivery says: its payload, the kind of its event, and the id by which it is told from others. */
import { createHash, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonValue, nestsTooDeep, parseJson } from '../../lib/json.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** JSON of any kind, else the fields of a form; undefined for what is neither. */
export function parsePayload(bytes: Uint8Array, contentType: string): JsonValue | undefined {
  const text = decode(bytes);
  if (text === undefined) return undefined;
  // Many programs call all that they send a form. One whose texts hold many brackets is none that nests.
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType) && looksLikeForm.test(text);
  if (!isForm && nestsTooDeep(text)) return undefined;
  const value = isForm ? undefined : parseJson(text);
  if (value !== undefined) return value;
  return /json/i.test(contentType) ? undefined : parseForm(text);
}

const looksLikeForm = /^[^=&\s{["]+=/;

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** GitHub's forms hold all of it as JSON in one field. */
function parseForm(text: string): JsonValue | undefined {
  if (!looksLikeForm.test(text)) return undefined;
  const fields = new URLSearchParams(text);
  const inner = fields.get('payload');
  if (inner !== null && nestsTooDeep(inner)) return undefined;
  const payload = inner === null ? undefined : parseJson(inner);
  return isJsonObject(payload) ? payload : Object.fromEntries(fields);
}

const maxNameChars = 200;

/** `unknown` when nothing says it. */
export function eventTypeOf(headers: Headers, payload: JsonValue): string {
  const said = isJsonObject(payload) ? [payload['event_type'], payload['type']] : [];
  const found = [headers.get('x-github-event'), headers.get('x-gitlab-event'), ...said].find(
    (name) => typeof name === 'string' && name !== '',
  );
  return typeof found === 'string' ? found.slice(0, maxNameChars).toWellFormed() : 'unknown';
}

/** Without a list every event is wanted. GitLab names an event in a header and, otherwise, in its payload. */
export function isWanted(events: readonly string[], eventType: string, payload: JsonValue): boolean {
  const kind = isJsonObject(payload) ? payload['object_kind'] : undefined;
  return events.length === 0 || events.includes(eventType) || (typeof kind === 'string' && events.includes(kind));
}

/**
 * What its sender calls it. Who signs with a time signs the same bytes once a second at most, so that the signature is a
 * name; a sender that calls it nothing has sent something new.
 */
export function deliveryIdOf(headers: Headers, now: number): string {
  const given = ['x-github-delivery', 'svix-id', 'x-request-id'].map((name) => headers.get(name) ?? '').find(Boolean);
  const signature = headers.get('x-webhook-signature-v2')?.toLowerCase();
  if (given === undefined && signature !== undefined) return createHash('sha256').update(signature).digest('hex');
  if (given === undefined) return `${now}-${randomBytes(3).toString('hex')}`;
  return given.length <= maxNameChars ? given : createHash('sha256').update(given).digest('hex');
}
