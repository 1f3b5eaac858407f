/** Ids for tool calls that came without a usable one. */
import { randomBytes } from 'node:crypto';

/** `call_` and 12 hex digits. */
export function newCallId(): string {
  return `call_${randomBytes(6).toString('hex')}`;
}
