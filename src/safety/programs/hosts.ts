/** Reads the host out of an address as programs take it: a URL, `user@host:path`, `host:port`. */
import { UNKNOWN } from '../commands/fields.ts';
import type { Contact } from './known.ts';

/** The host is `undefined` for whatever two programs could read in two ways. */
export function hostContact(text: string, sends: Contact['sends']): Contact {
  const authority = text.replace(/^[a-z][a-z\d+.-]*:\/\//i, '').split(/[/?#]/)[0] ?? '';
  const place = authority.slice(authority.lastIndexOf('@') + 1);
  const found = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(.*))?$/i.exec(place);
  const host = (found?.[1] ?? found?.[2])?.toLowerCase().replace(/\.$/, '');
  if (host === undefined || host === '' || /^@|\\/.test(authority) || authority.includes(UNKNOWN))
    return { host: undefined, sends };
  const port = /^\d{1,5}$/.test(found?.[3] ?? '') ? Number(found?.[3]) : undefined;
  return { host, sends, ...(port === undefined ? {} : { port }) };
}
