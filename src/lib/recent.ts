/** Answers that cost something to find, and may be a moment old. */

export interface RecentOptions {
  /** How long an answer stands, in milliseconds. */
  readonly keepMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

const maxAnswers = 64;

export class Recent<T> {
  readonly #keepMs: number;
  readonly #now: () => number;
  readonly #answers = new Map<string, { readonly answer: T; readonly until: number }>();

  constructor({ keepMs, now = () => performance.now() }: RecentOptions) {
    this.#keepMs = keepMs;
    this.#now = now;
  }

  /** `question` tells answers apart. What throws is not kept. */
  get(question: string, find: () => T): T {
    const known = this.#answers.get(question);
    if (known !== undefined && this.#now() < known.until) return known.answer;
    const answer = find();
    this.#answers.delete(question);
    this.#answers.set(question, { answer, until: this.#now() + this.#keepMs });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > maxAnswers && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }
}
