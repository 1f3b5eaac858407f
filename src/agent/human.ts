/** The three questions an agent may ask a person. Each surface answers in its own way; the headless one says no. */

export interface ApprovalRequest {
  /** The tool that would run. */
  readonly tool: string;
  /** What would run, byte for byte. */
  readonly command: string;
  /** For shell text: where it would start. */
  readonly folder?: string;
  /** Why it needs a person, one entry a finding. */
  readonly reasons: readonly string[];
  /** What an answer is remembered under, one key a finding. */
  readonly keys: readonly string[];
  /** False when a finding must never be remembered for good. */
  readonly mayRemember: boolean;
  /** The model of smart mode said no: only `once` and the two ways of no are answers. */
  readonly smartDenied?: true;
  /** Narrower ways of remembering than the kinds, in words; absent: there are none. */
  readonly scopes?: ApprovalScopes;
  /** Where the text from outside came from that the conversation holds, in words; empty when there is none. */
  readonly sources: readonly string[];
}

export interface ApprovalScopes {
  /** What `always command` allows, such as `this very command in /work/app`. */
  readonly command: string;
  /** What `always program` allows, such as `git push * in /work/app`. */
  readonly program?: string;
}

/**
 * `session` and `always` are about the kinds of the findings; `always command` and `always program` about what the
 * request's `scopes` name.
 */
export type ApprovalChoice = (typeof approvalChoices)[number];

/** A choice, or a no with what the person said about it. */
export type ApprovalAnswer = ApprovalChoice | Denial;

export interface Denial {
  /** For the model, in the person's words. */
  readonly deny: string;
}

export function choiceOf(answer: ApprovalAnswer): ApprovalChoice {
  return typeof answer === 'string' ? answer : 'deny';
}

const approvalChoices = ['once', 'session', 'always', 'always command', 'always program', 'deny', 'timeout'] as const;

export function isApprovalChoice(text: string | undefined): text is ApprovalChoice {
  return approvalChoices.some((choice) => choice === text);
}

/** What was said to a question, chosen or in the person's own words; or why nothing was. */
export type ClarifyAnswer = { readonly said: string } | { readonly unanswered: 'timeout' | 'cancelled' | 'unasked' };

/**
 * Must answer within its own deadline, must answer `deny` (or `timeout`) when the signal aborts, on end of input
 * or on any failure, and must never throw. Questions are asked one at a time.
 *
 * @example
 * const choice = choiceOf(await human.approve(request, signal));
 * if (choice === 'deny' || choice === 'timeout') return refused;
 */
export interface Human {
  /** False when nobody can be asked; the policy then refuses whatever would need asking. */
  readonly present: boolean;
  /** Whether the surface can put questions in words at all; the same for the whole session, whoever is there. */
  readonly clarifies: boolean;
  approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** `cancelled`: the person did not want to answer, or the signal aborted. `unasked`: it could not be put to them. */
  clarify(question: string, choices: readonly string[], signal: AbortSignal): Promise<ClarifyAnswer>;
  /** A hidden input such as a password; never stored in the history. */
  secret(prompt: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Nobody is there: every question is answered with no. */
export const headless: Human = {
  present: false,
  clarifies: false,
  approve: () => Promise.resolve('deny'),
  clarify: () => Promise.resolve({ unanswered: 'unasked' }),
  secret: () => Promise.resolve(undefined),
};
