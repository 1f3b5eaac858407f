/** What is said of a verification in the chat, one line each where nothing has to be compared. */
import type { Step } from './crypto/flow.ts';

/** An answer to the question whether the signs are the same. */
export type Answer = 'yes' | 'no';

export function readAnswer(text: string): Answer | undefined {
  const [, word] = /^[!/]verify\s+(yes|no)$/i.exec(text.trim()) ?? [];
  if (word === undefined) return undefined;
  return word.toLowerCase() === 'yes' ? 'yes' : 'no';
}

/** Of the bot's own account without `userId`. Names of devices are anybody's words. */
export function device(id = '', userId?: string): string {
  const name = /^[\w-]{1,64}$/.exec(id)?.[0] ?? 'with a name that cannot be shown';
  return userId === undefined ? `my own session ${name}` : `the device ${name} of ${userId}`;
}

export const notOpen = 'There is no verification to answer; start it in your program.';
export const notHere = 'A verification can only be started in an encrypted private chat with me.';
export const noted = 'Noted. Say in your program that they are the same, too, if you have not yet.';

/** The library ends it after a minute in which nothing happens. */
export function comparison(signs: string, what: string): string {
  const same = 'The same at your side? Say so there, and here with !verify yes, within a minute.';
  return `To verify ${what}, compare. I see:\n\n${signs}\n\n${same} If not, or if nobody you know has begun this: !verify no.`;
}

export function verified(what: string): string {
  return `Verified: ${what}.`;
}

/** Programs on both sides give the code of the same list. */
export function notVerified({ code, byUs }: Extract<Step, { readonly as: 'off' }>): string {
  return `Not verified: ${why(code, byUs)}.`;
}

export function isAlarming(code: string): boolean {
  return ['m.mismatched_sas', 'm.mismatched_commitment', 'm.key_mismatch', 'm.user_mismatch'].includes(code);
}

function why(code: string, byUs: boolean): string {
  if (isAlarming(code))
    return 'the two sides did not see the same. Somebody may read along: say nothing secret here until you know why';
  switch (code) {
    case 'm.timeout':
      return 'it took too long; start it again when you are ready';
    case 'm.user':
      return byUs ? 'I have called it off; start it again' : 'it was cancelled at your side';
    case 'm.accepted':
      return 'another session of my account has answered';
    case 'm.unknown_method':
      return 'your program cannot compare emoji or numbers';
    default:
      return 'the programs did not understand each other; start it again';
  }
}
