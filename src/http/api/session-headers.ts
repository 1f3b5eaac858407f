/** Which conversation a request belongs to, and whose memory it works with. */
import { HttpError } from '../answers.ts';

export interface SessionHeaders {
  readonly sessionId: string | undefined;
  /** Tells the people apart that a client speaks for: what one of them said is not found by another. */
  readonly sessionKey: string | undefined;
}

const maxChars = 256;

/** Throws `HttpError` for ids that could be taken for paths, and for values that do not fit a line. */
export function readSessionHeaders(headers: Headers): SessionHeaders {
  const id = headers.get('x-hermes-session-id')?.trim() ?? '';
  const key = headers.get('x-hermes-session-key')?.trim() ?? '';
  if (id !== '') checkSessionId(id);
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be in it
  if (key.length > maxChars || /[\u0000-\u001f\u007f]/.test(key)) throw new HttpError(400, 'Invalid session key');
  return { sessionId: id === '' ? undefined : id, sessionKey: key === '' ? undefined : key };
}

export function checkSessionId(id: string): void {
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be in it
  const strange = /[\u0000-\u001f\u007f/\\]|\.\.|^[A-Za-z]:/;
  if (id !== '' && id.length <= maxChars && !strange.test(id)) return;
  throw new HttpError(400, 'Invalid session ID', { code: 'invalid_session_id' });
}

/** For the answer. */
export function sessionHeaders(sessionId: string, key: string | undefined): Readonly<Record<string, string>> {
  // Ids of old sessions may be anything; a header is Latin-1.
  const id = /^[\x20-\x7e]+$/.test(sessionId) ? { 'x-hermes-session-id': sessionId } : {};
  return { ...id, ...(key === undefined ? {} : { 'x-hermes-session-key': key }) };
}
