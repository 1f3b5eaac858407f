/** Who may use a proxy of ours that listens on a port: a port of this machine is open to all its users. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Whoever asks has not shown the token. */
export class Stranger extends Error {
  override readonly name = 'Stranger';

  constructor() {
    super('This proxy wants its token.');
  }
}

/** What a proxy says beside status 407. */
export const wantsToken: Readonly<Record<string, string>> = { 'proxy-authenticate': 'Basic realm="hermes"' };

/** The token is the password of Basic credentials, whatever the name beside it. Throws `Stranger`. */
export function checkClient({ headers }: IncomingMessage, token: string | undefined): void {
  if (token === undefined) return;
  const shown = /^Basic (\S+)$/i.exec(headers['proxy-authorization'] ?? '')?.[1] ?? '';
  const password = Buffer.from(shown, 'base64')
    .toString()
    .replace(/^[^:]*:/, '');
  if (!timingSafeEqual(digest(password), digest(token))) throw new Stranger();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
