/** Questions that nobody can answer any more: a late answer to one is told so, and is taken for nothing else. */
import type { ChatQuestionKind, ChatQuestions, KeptQuestion } from '../../sessions/chat-questions.ts';
import { looksLikeAnswer } from './answer-words.ts';

export interface LapsedQuestion extends Omit<KeptQuestion, 'lapsedAt'> {
  readonly lapsedAt: number;
}

/** The ones that a late answer is known of; the oldest go first. */
const maxLapsed = 1000;
const keptMs = 24 * 3_600_000;

export class LapsedQuestions {
  readonly #records: Pick<ChatQuestions, 'end'>;
  readonly #clock: { now(): number };
  readonly #warn: (text: string, error: unknown) => void;
  #all: LapsedQuestion[] = [];

  constructor(
    records: Pick<ChatQuestions, 'end'>,
    clock: { now(): number },
    warn: (text: string, error: unknown) => void,
  ) {
    this.#records = records;
    this.#clock = clock;
    this.#warn = warn;
  }

  add(question: LapsedQuestion): void {
    const since = this.#clock.now() - keptMs;
    this.#all = [...this.#all.filter(({ lapsedAt }) => lapsedAt >= since), question].slice(-maxLapsed);
  }

  /** Changes where some of them were asked. */
  change(changed: (question: LapsedQuestion) => LapsedQuestion): void {
    this.#all = this.#all.map(changed);
  }

  some(which: (question: LapsedQuestion) => boolean): boolean {
    return this.#all.some(which);
  }

  /** Those of a conversation that the text would have answered. */
  lateFor(text: string, may: (question: LapsedQuestion) => boolean): readonly LapsedQuestion[] {
    const since = this.#clock.now() - keptMs;
    return this.#all.filter(
      (question) => question.lapsedAt >= since && may(question) && looksLikeAnswer(question.kind, text),
    );
  }

  /** Whom they were asked of knows that they have lapsed: what comes next is meant for something else. */
  forget(which: (question: LapsedQuestion) => boolean): void {
    const gone = this.#all.filter(which);
    if (gone.length === 0) return;
    this.#all = this.#all.filter((question) => !gone.includes(question));
    for (const { id } of gone) {
      this.#records.end(id).catch((error: unknown) => this.#warn('a question that has lapsed is still kept', error));
    }
  }
}

const nothingDone: Readonly<Record<ChatQuestionKind, string>> = {
  approval: 'nothing was run',
  confirmation: 'nothing was changed',
  question: 'nothing came of it',
};

/** For the chat, when a start finds it: the process that asked is gone. */
export function restartText({ kind, text }: Pick<KeptQuestion, 'kind' | 'text'>): string {
  return `⌛ I was restarted before you answered, so ${nothingDone[kind]}:\n\n${text}`;
}

/** `open`: a question that waits there now. */
export function lateText(lapsed: readonly LapsedQuestion[], open: string | undefined): string {
  const about = lapsed.map(({ text }) => text).join('\n\n');
  const done = [...new Set(lapsed.map(({ kind }) => nothingDone[kind]))].join(', ');
  const next =
    open === undefined
      ? 'If you still want it, tell me so in a sentence.'
      : `Another question waits here; if you mean that one, answer once more:\n\n${open}`;
  return `⌛ That answer came too late, and ${done}:\n\n${about}\n\n${next}`;
}
