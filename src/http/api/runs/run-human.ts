/** Whoever watches a run: is shown what needs a yes, and answers with a request. */
import type { ApprovalChoice, ApprovalRequest, ClarifyAnswer, Human } from '../../../agent/human.ts';
import { HttpError } from '../../answers.ts';
import type { Run } from './run.ts';

type Answer = Extract<ApprovalChoice, 'once' | 'session' | 'always' | 'deny'>;

interface Pending {
  readonly choices: readonly Answer[];
  readonly answer: (choice: Answer) => void;
}

/** What clients say, and what is meant. */
const words: ReadonlyMap<string, Answer> = new Map([
  ['once', 'once'],
  ['approve', 'once'],
  ['approved', 'once'],
  ['allow', 'once'],
  ['session', 'session'],
  ['always', 'always'],
  ['deny', 'deny'],
  ['denied', 'deny'],
  ['reject', 'deny'],
]);

/** Throws `HttpError` for a word that is none. */
export function readChoice(value: unknown): Answer {
  const choice = typeof value === 'string' ? words.get(value.trim().toLowerCase()) : undefined;
  if (choice !== undefined) return choice;
  throw new HttpError(400, "'choice' must be one of once, session, always, deny.", { code: 'invalid_approval_choice' });
}

export class RunHuman implements Human {
  readonly present = true;
  readonly clarifies = false;
  readonly #run: Run;
  readonly #patienceMs: number;
  #pending: Pending | undefined;

  constructor(run: Run, patienceMs: number) {
    this.#run = run;
    this.#patienceMs = patienceMs;
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice> {
    const choices = choicesFor(request);
    const answered = Promise.withResolvers<ApprovalChoice>();
    const late = setTimeout(() => answered.resolve('timeout'), this.#patienceMs);
    const deny = (): void => answered.resolve('deny');
    signal.addEventListener('abort', deny, { once: true });
    if (signal.aborted) deny();
    this.#pending = { choices, answer: answered.resolve };
    this.#run.waits();
    const { tool, command, folder, reasons, keys, sources } = request;
    this.#run.tell('approval.request', {
      tool,
      command,
      description: reasons.join('; '),
      reasons: [...reasons],
      pattern_keys: [...keys],
      sources: [...sources],
      choices: [...choices],
      ...(folder === undefined ? {} : { folder }),
    });
    try {
      return await answered.promise;
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', deny);
      this.#pending = undefined;
      this.#run.goesOn();
    }
  }

  clarify(): Promise<ClarifyAnswer> {
    return Promise.resolve({ unanswered: 'unasked' });
  }

  async secret(): Promise<undefined> {
    // No route takes an answer in words.
  }

  /** Returns how many questions it answered. Throws `HttpError` when there is none, or it may not be answered so. */
  answer(choice: Answer): number {
    const pending = this.#pending;
    if (pending === undefined) {
      throw new HttpError(409, 'Nothing waits for an approval.', { code: 'approval_not_pending' });
    }
    if (!pending.choices.includes(choice)) {
      throw new HttpError(400, `This can be answered with ${pending.choices.join(', ')}.`, {
        code: 'invalid_approval_choice',
      });
    }
    this.#pending = undefined;
    pending.answer(choice);
    this.#run.tell('approval.responded', { choice, resolved: 1 });
    return 1;
  }
}

function choicesFor({ mayRemember, smartDenied }: ApprovalRequest): readonly Answer[] {
  if (smartDenied === true) return ['once', 'deny'];
  return mayRemember ? ['once', 'session', 'always', 'deny'] : ['once', 'session', 'deny'];
}
