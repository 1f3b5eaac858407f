/** What the model is told when a call was not allowed: what was refused, why, and what not to try. */
import type { ApprovalAnswer } from '../../agent/human.ts';

const doNotRetry = 'Do not retry it, reword it or reach the same effect another way';

export function hardlineMessage(reason: string): string {
  return `BLOCKED (hardline): ${reason}. This is never run and nobody can approve it. ${doNotRetry}.`;
}

/** `approvals.deny` */
export function ownerForbidsMessage(pattern: string): string {
  return `BLOCKED: the owner of this machine forbids commands like '${pattern}' (approvals.deny). Nobody can approve it here. ${doNotRetry}.`;
}

/** A model that writes `sudo -S` without having been given a password guesses one. */
export function guessedPasswordMessage(): string {
  return `BLOCKED: sudo -S would take a password from the command's text, and none was provided (SUDO_PASSWORD). Passwords are not guessed. ${doNotRetry}; use sudo without -S, and the user is asked.`;
}

/** `terminal.sandbox: always` */
export function noSandboxMessage(problem: string): string {
  return `BLOCKED: commands run in a sandbox only here (terminal.sandbox: always), and none can be had: ${problem} ${doNotRetry}; tell the user.`;
}

export function nobodyToAskMessage(reasons: readonly string[]): string {
  return `BLOCKED: this needs a person's approval (${reasons.join('; ')}) and nobody can be asked here. ${doNotRetry}; find a safer way or tell the user what to run.`;
}

/** `approvals.mode: smart`, and nobody there who could say otherwise. */
export function smartDeniedMessage(reasons: readonly string[]): string {
  return `BLOCKED by smart approval: this was judged to be harmful (${reasons.join('; ')}). ${doNotRetry}; find a safer way or tell the user what to run.`;
}

/** How a message begins that says a person's no. */
export const deniedByUser = 'BLOCKED: the user denied it';

export function deniedMessage(reasons: readonly string[], answer: ApprovalAnswer): string {
  const said = typeof answer === 'string' ? '' : ` and said ${JSON.stringify(answer.deny)}`;
  const what =
    answer === 'timeout'
      ? 'BLOCKED: nobody answered the approval request in time, and silence is no consent'
      : `${deniedByUser}${said}`;
  return `${what} (${reasons.join('; ')}). ${doNotRetry}; ask the user how to go on.`;
}
