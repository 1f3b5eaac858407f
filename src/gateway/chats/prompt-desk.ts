/** Questions that wait in chats for a person: pressed with a button, or answered with a word. */
import { randomBytes } from 'node:crypto';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import type { Press, PressOutcome } from '../platform/adapter-host.ts';
import type { ChatAddress, Prompt, PromptOption } from '../platform/adapter.ts';
import type { SessionSource } from '../platform/session-source.ts';

export interface Question {
  readonly sessionKey: string;
  readonly platform: string;
  readonly to: ChatAddress;
  /** Markdown. */
  readonly text: string;
  readonly options: readonly PromptOption[];
  /** What to type, where there are no buttons. */
  readonly howTo: string;
  readonly replyTo?: string;
  /** Whose answer counts; null: anybody's who may speak to the agent there. */
  readonly person: string | null;
  /** Reads an answer that was typed; undefined: it is none, and a message like any other. */
  read(text: string): string | undefined;
  /** Set for questions that are answered in the order in which they were asked: whether a text is for all of them. */
  readonly forAll?: (text: string) => boolean;
}

export interface PromptDeskOptions {
  connection(platform: string): PlatformConnection | undefined;
  /** Puts a question into words, for platforms without buttons. */
  say(question: Question, text: string): Promise<void>;
  /** True for somebody who may answer what others were asked: an administrator. */
  mayAnswerForOthers(source: SessionSource): boolean;
}

interface Open {
  readonly question: Question;
  readonly prompt: Prompt;
  readonly settle: (answer: string | undefined) => void;
}

/** The ones that are open at the same time; more are not asked. */
const maxOpen = 1000;

export class PromptDesk {
  readonly #options: PromptDeskOptions;
  readonly #open = new Map<string, Open>();

  constructor(options: PromptDeskOptions) {
    this.#options = options;
  }

  /**
   * The id of the chosen option, or what `read` made of a typed answer; undefined when the signal aborts or it could not
   * be asked. What became of it takes the place of the buttons: `outcome` puts the answer into words.
   */
  async ask(
    question: Question,
    outcome: (answer: string | undefined) => string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (this.#open.size >= maxOpen || signal.aborted) return undefined;
    const id = randomBytes(9).toString('base64url');
    const { to, text, options, replyTo } = question;
    const prompt = { id, to, text, options, idempotencyKey: id, ...(replyTo === undefined ? {} : { replyTo }) };
    const answered = Promise.withResolvers<string | undefined>();
    this.#open.set(id, { question, prompt, settle: answered.resolve });
    const onAbort = (): void => answered.resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const shown = await this.#show(question, prompt, signal);
      const answer = await answered.promise;
      if (shown !== undefined) await this.#close(question, prompt, shown, outcome(answer));
      return answer;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#open.delete(id);
    }
  }

  /** A button. It counts once, and only of somebody who may. */
  press({ promptId, optionId, source }: Press): PressOutcome {
    const open = this.#open.get(promptId);
    const option = open?.prompt.options.find(({ id }) => id === optionId);
    if (open === undefined || option === undefined || !isIn(open.question, source)) return { as: 'stale' };
    if (!this.#mayAnswer(open.question, source)) return { as: 'denied' };
    this.#open.delete(promptId);
    open.settle(optionId);
    return { as: 'done', text: option.label };
  }

  /** True when the text answers a question that waits there: the newest, or the first of those that have an order. */
  answer(sessionKey: string, source: SessionSource, text: string): boolean {
    const here = [...this.#open.values()].filter(({ question }) => question.sessionKey === sessionKey);
    const inOrder = here.at(-1)?.question.forAll !== undefined;
    const asked = inOrder ? here.filter(({ question }) => question.forAll !== undefined) : here.slice(-1);
    const own = asked.filter(({ question }) => this.#mayAnswer(question, source));
    const isForAll = own[0]?.question.forAll?.(text) === true;
    let answered = false;
    for (const { question, prompt, settle } of isForAll ? own : own.slice(0, 1)) {
      const answer = question.read(text);
      if (answer === undefined) continue;
      this.#open.delete(prompt.id);
      settle(answer);
      answered = true;
    }
    return answered;
  }

  waitsIn(sessionKey: string): boolean {
    return [...this.#open.values()].some(({ question }) => question.sessionKey === sessionKey);
  }

  /** Nobody answers any more. */
  close(): void {
    for (const { settle } of this.#open.values()) settle(undefined);
  }

  #mayAnswer({ person }: Question, source: SessionSource): boolean {
    return person === null || person === source.user_id || this.#options.mayAnswerForOthers(source);
  }

  /** The id of the message with the buttons. */
  async #show(question: Question, prompt: Prompt, signal: AbortSignal): Promise<string | undefined> {
    const prompts = this.#options.connection(question.platform)?.adapter?.prompts;
    if (prompts !== undefined && prompt.options.length > 0 && prompt.options.length <= prompts.maxOptions) {
      const shown = await prompts.show(prompt, signal);
      if (shown.ok) return shown.messageId ?? undefined;
    }
    await this.#options.say(question, `${question.text}\n\n${question.howTo}`);
    return undefined;
  }

  async #close({ platform }: Question, prompt: Prompt, messageId: string, outcome: string): Promise<void> {
    const prompts = this.#options.connection(platform)?.adapter?.prompts;
    await prompts?.close(prompt, messageId, outcome, AbortSignal.timeout(closeMs)).catch(() => undefined);
  }
}

const closeMs = 10_000;

/** A button of a message that was forwarded elsewhere is none. */
function isIn({ platform, to }: Question, source: SessionSource): boolean {
  return platform === source.platform && to.chatId === source.chat_id;
}
