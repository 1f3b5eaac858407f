/** Waits for the end of a login in a browser: it comes back to this machine, or the person pastes where it ended. */
import { UserError } from '../../lib/errors.ts';
import type { LoginOptions } from './login.ts';
import type { Loopback } from './loopback.ts';
import { type PastedCode, parsePaste } from './parse-paste.ts';

export interface RedirectWait {
  /** Whom the login is for, for messages. */
  readonly service: string;
  /** Where the person logs in. */
  readonly url: string;
  /** Absent: nothing listens on this machine, only a paste can end it. */
  readonly loopback: Loopback | undefined;
  /** True: a paste is taken also when a browser was opened here. */
  readonly pasteToo?: boolean;
  /** What to do after a login that was not finished. */
  readonly hint: string;
  readonly deadlineMs: number;
  /** Throws the signal's reason when it aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Whichever answer is first; the others are given up. Whether it belongs to the login is still to be checked. Throws
 * `UserError` for a paste without a code and after the deadline.
 */
export async function awaitRedirect(waiting: RedirectWait, options: LoginOptions): Promise<PastedCode> {
  const { prompt, signal, manualPaste = false, browser = true } = options;
  const { url, loopback, pasteToo = false } = waiting;
  prompt.status(`Open this address to log in:\n${url}`);
  const opened = browser && !manualPaste && (await prompt.openBrowser(url));
  signal.throwIfAborted();
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const answers: Promise<PastedCode>[] = [late(waiting, either)];
  if (loopback !== undefined) {
    prompt.status(`Waiting for callback on ${loopback.redirectUri}`);
    answers.push(loopback.answered.then((parameters) => ({ parameters, bare: false })));
  }
  if (loopback === undefined || !opened || pasteToo) answers.push(pasted(waiting, options, either));
  // Only the first one counts: that the others fail or end need not be known.
  for (const answer of answers) answer.catch(() => undefined);
  try {
    return await Promise.race(answers);
  } finally {
    ended.abort();
    signal.throwIfAborted();
  }
}

async function late({ service, hint, deadlineMs, wait }: RedirectWait, signal: AbortSignal): Promise<never> {
  await wait(deadlineMs, signal);
  const minutes = deadlineMs === 300_000 ? 'five minutes' : `${deadlineMs / 1000} seconds`;
  throw new UserError(`${service}: the login was not finished within ${minutes}.`, { hint });
}

async function pasted({ service }: RedirectWait, { prompt }: LoginOptions, signal: AbortSignal): Promise<PastedCode> {
  const text = await prompt.askForPaste('Callback URL, or the code that the page shows:', signal);
  const paste = parsePaste(text);
  if (paste !== undefined) return paste;
  throw new UserError(`${service}: what was pasted holds no code of a login.`, {
    hint: 'Log in again, and paste the whole address on which the browser ends, or the code that the page shows.',
  });
}
