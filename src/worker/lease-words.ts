/** In words for a person: who else continues a conversation. */
import { UserError } from '../lib/errors.ts';
import type { LeaseHolder } from '../sessions/leases.ts';

/** One sentence with what helps to find them. */
export function describeHolder(by: LeaseHolder | undefined): string {
  if (by === undefined) return 'This conversation is being continued elsewhere.';
  const since = new Date(by.since * 1000).toLocaleString();
  return `This conversation is being continued elsewhere: ${by.holder}, process ${by.pid} on ${by.host}, since ${since}.`;
}

export function readOnlyHere(by: LeaseHolder): UserError {
  return new UserError(`${describeHolder(by)} It is only read here.`, {
    hint: 'Go on there, or continue it here with: hermes --resume',
  });
}
