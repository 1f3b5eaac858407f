/** Questions that wait in chats for a person: pressed with a button, or answered with a word. */
import { createHash, randomBytes } from 'node:crypto';
import type { Log } from '../../lib/log.ts';
import type { ChatMove } from '../../sessions/chat-move.ts';
import type { ChatQuestion, ChatQuestionKind, ChatQuestions, KeptQuestion } from '../../sessions/chat-questions.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import type { Press, PressOutcome } from '../platform/adapter-host.ts';
import type { ChatAddress, Prompt, PromptOption } from '../platform/adapter.ts';
import type { SessionSource } from '../platform/session-source.ts';
import { isNo } from './answer-words.ts';
import { LapsedQuestions, lateText, restartText } from './lapsed-questions.ts';

export interface Question {
  readonly sessionKey: string;
  readonly platform: string;
  readonly to: ChatAddress;
  readonly kind: ChatQuestionKind;
  /** Exactly what is asked about: an answer is good for these bytes. */
  readonly about: string;
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
  readonly records: ChatQuestions;
  readonly clock: { now(): number };
  readonly log: Log;
  /** Takes secrets out of what is kept of a question. */
  mask(text: string): string;
  connection(platform: string): PlatformConnection | undefined;
  /** Puts a question into words, for platforms without buttons. */
  say(question: Question, text: string): Promise<void>;
  /** True for somebody who may answer what others were asked: an administrator. */
  mayAnswerForOthers(source: SessionSource): boolean;
}

/** What a text that was typed is: an answer that counts as soon as it is given, or one that came too late. */
export type Claim =
  | { readonly as: 'answer'; readonly give: (counts: boolean) => void }
  | { readonly as: 'late'; readonly reply: string; readonly told: () => void };

/** Something that a person typed. */
export interface Typed {
  readonly source: SessionSource;
  readonly text: string;
  /** When it was sent, in milliseconds since the epoch. */
  readonly sentAt: number;
}

interface Open {
  readonly question: Question;
  readonly kept: ChatQuestion;
  /** Whom it was asked of has said something else since. */
  passedOver: boolean;
  readonly prompt: Prompt;
  readonly settle: (answer: string | undefined) => void;
}

/** The ones that are open at the same time; more are not asked. */
const maxOpen = 1000;
const maxKeptChars = 3000;

/** Every question is written down before it is shown, so that none ends unsaid, and a late answer is known to be one. */
export class PromptDesk {
  readonly #options: PromptDeskOptions;
  readonly #open = new Map<string, Open>();
  readonly #lapsed: LapsedQuestions;
  /** Their buttons stand in chats, and their process is gone. */
  #abandoned: KeptQuestion[] = [];
  #closing = false;

  constructor(options: PromptDeskOptions) {
    const { records, clock, log } = options;
    this.#options = options;
    this.#lapsed = new LapsedQuestions(records, clock, (text, error) => log.warning(text, error));
  }

  /**
   * What an earlier process asked has lapsed: `tell` writes that down for its chat, under the same id however often it is
   * called. Called before anything is let in.
   */
  async recover(tell: (question: KeptQuestion, text: string) => Promise<void>): Promise<void> {
    const { records, clock } = this.#options;
    for (const question of await records.kept()) {
      if (question.lapsedAt === null) {
        await tell(question, restartText(question));
        await records.lapse(question.id);
        if (question.messageId !== null) this.#abandoned.push(question);
      }
      this.#lapsed.add({ ...question, lapsedAt: question.lapsedAt ?? clock.now() });
    }
  }

  /** Takes the buttons of what has lapsed away, now that the platform is there. */
  async tidy(platform: string): Promise<void> {
    const here = this.#abandoned.filter((question) => question.platform === platform);
    this.#abandoned = this.#abandoned.filter((question) => question.platform !== platform);
    for (const { id, chatId, threadId, text, kind, messageId } of here) {
      const prompt = { id, to: { chatId, threadId }, text, kind, options: [], idempotencyKey: id };
      await this.#close(platform, prompt, messageId ?? '', '⌛ Not answered before I was restarted.');
    }
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
    if (this.#open.size >= maxOpen || signal.aborted || this.#closing) return undefined;
    const id = randomBytes(9).toString('base64url');
    const { to, text, options, kind, replyTo } = question;
    const prompt = { id, to, text, options, kind, idempotencyKey: id, ...(replyTo === undefined ? {} : { replyTo }) };
    const answered = Promise.withResolvers<string | undefined>();
    const open = { question, prompt, kept: this.#keptOf(id, question), passedOver: false, settle: answered.resolve };
    this.#open.set(id, open);
    const onAbort = (): void => answered.resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await this.#asked(open, answered.promise, outcome, signal);
    } catch (error) {
      // What cannot be written down is not asked, and no answer to it counts.
      this.#options.log.error('a question could not be kept, so it counts as not answered', error);
      return undefined;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#open.delete(id);
    }
  }

  async #asked(
    open: Open,
    answered: Promise<string | undefined>,
    outcome: (answer: string | undefined) => string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { question, prompt, kept } = open;
    const { records } = this.#options;
    await records.add(kept);
    const shown = await this.#show(question, prompt, signal);
    if (shown !== undefined) await records.shown(prompt.id, shown);
    const answer = await answered;
    // It stays as it is: the next process tells that it has lapsed.
    if (answer === undefined && this.#closing) return undefined;
    // On the disk before anything runs: what was answered must not be said to have lapsed.
    if (answer === undefined) await this.#lapse(open, signal);
    else await records.end(prompt.id);
    if (shown !== undefined) await this.#close(question.platform, prompt, shown, outcome(answer));
    else if (answer === undefined && isTimeout(signal)) await this.#options.say(question, outcome(answer));
    return answer;
  }

  /** A button. It counts once, and only of somebody who may. */
  press({ promptId, optionId, source }: Press): PressOutcome {
    const open = this.#open.get(promptId);
    const option = open?.prompt.options.find(({ id }) => id === optionId);
    if (open === undefined || option === undefined || !isIn(open.question, source)) return { as: 'stale' };
    const { anybody = false } = this.#options.connection(source.platform)?.adapter?.prompts ?? {};
    if (!anybody && !this.#mayAnswer(open.question, source)) return { as: 'denied' };
    this.#open.delete(promptId);
    open.settle(optionId);
    return { as: 'done', text: option.label };
  }

  /** A no from outside the chat; false when that call does not wait any more. Nobody says yes from there. */
  deny(promptId: string): boolean {
    const open = this.#open.get(promptId);
    if (open?.question.kind !== 'approval') return false;
    this.#open.delete(promptId);
    open.settle('deny');
    return true;
  }

  /** Commands that ask there before they begin are taken back; false where none does. */
  withdraw(sessionKey: string): boolean {
    const asked = [...this.#open.values()].filter(
      ({ question }) => question.sessionKey === sessionKey && question.kind === 'confirmation',
    );
    for (const { prompt, settle } of asked) {
      this.#open.delete(prompt.id);
      settle(takenBack);
    }
    return asked.length > 0;
  }

  /**
   * Undefined for a message like any other. An answer is for the newest question that waits there, or the first of those
   * that have an order. While somebody may not know yet that another question has lapsed, a word of theirs answers nothing
   * but the same one, byte for byte; only a no always counts.
   */
  claim(sessionKey: string, { source, text, sentAt }: Typed): Claim | undefined {
    const late = this.#lapsed.lateFor(text, (question) => this.#isOf(question, sessionKey, source));
    const answered = this.#answeredBy(sessionKey, source, text);
    const isClear = answered.every(
      ({ open, answer }) =>
        (open.question.kind !== 'question' && isNo(answer)) || late.every(({ digest }) => digest === open.kept.digest),
    );
    if (answered.length > 0 && isClear) {
      for (const { open } of answered) this.#open.delete(open.prompt.id);
      const give = (counts: boolean): void => {
        if (counts) this.#lapsed.forget((question) => late.includes(question));
        for (const { open, answer } of answered) open.settle(counts ? answer : undefined);
      };
      return { as: 'answer', give };
    }
    if (late.length > 0) {
      // What was sent before anybody could know that it had lapsed may not have been the last such word.
      const told = (): void =>
        this.#lapsed.forget((question) => late.includes(question) && question.lapsedAt <= sentAt);
      return { as: 'late', reply: lateText(late, answered[0]?.open.kept.text), told };
    }
    this.#passOver(sessionKey, source, sentAt);
    return undefined;
  }

  /** The questions that a text answers, and what it says to each. */
  #answeredBy(sessionKey: string, source: SessionSource, text: string) {
    const here = [...this.#open.values()].filter(({ question }) => question.sessionKey === sessionKey);
    const inOrder = here.at(-1)?.question.forAll !== undefined;
    const asked = inOrder ? here.filter(({ question }) => question.forAll !== undefined) : here.slice(-1);
    const own = asked.filter(({ question }) => this.#mayAnswer(question, source));
    const isForAll = own[0]?.question.forAll?.(text) === true;
    return (isForAll ? own : own.slice(0, 1)).flatMap((open) => {
      const answer = open.question.read(text);
      return answer === undefined ? [] : [{ open, answer }];
    });
  }

  /** They speak of something else: a yes that comes after it is meant for that. */
  #passOver(sessionKey: string, source: SessionSource, sentAt: number): void {
    this.#lapsed.forget((question) => question.lapsedAt <= sentAt && this.#isOf(question, sessionKey, source));
    for (const open of this.#open.values()) {
      if (open.question.sessionKey === sessionKey && this.#mayAnswer(open.question, source)) open.passedOver = true;
    }
  }

  #isOf(question: KeptQuestion, sessionKey: string, source: SessionSource): boolean {
    return question.sessionKey === sessionKey && this.#mayAnswer(question, source);
  }

  /** What has lapsed in a chat that goes by another id now is answered there, too late as before. */
  move({ platform, from, to, rekey }: Pick<ChatMove, 'platform' | 'from' | 'to' | 'rekey'>): void {
    this.#lapsed.change((question) =>
      question.platform === platform && question.chatId === from
        ? { ...question, chatId: to, sessionKey: rekey(question.sessionKey) ?? question.sessionKey, messageId: null }
        : question,
    );
  }

  waitsIn(sessionKey: string): boolean {
    return [...this.#open.values()].some(({ question }) => question.sessionKey === sessionKey);
  }

  /** Somebody was asked there and told that it came to nothing. */
  hasLapsed(sessionKey: string): boolean {
    return this.#lapsed.some((question) => question.sessionKey === sessionKey);
  }

  /** Nobody answers any more; what is open is told to have lapsed by the next process. */
  close(): void {
    this.#closing = true;
    for (const { settle } of this.#open.values()) settle(undefined);
  }

  #mayAnswer({ person }: Pick<Question, 'person'>, source: SessionSource): boolean {
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

  async #close(platform: string, prompt: Prompt, messageId: string, outcome: string): Promise<void> {
    const prompts = this.#options.connection(platform)?.adapter?.prompts;
    await prompts?.close(prompt, messageId, outcome, AbortSignal.timeout(closeMs)).catch(() => undefined);
  }

  /** Whom it was asked of may still answer it, unless they have stopped it themselves by saying something else. */
  async #lapse({ kept, passedOver }: Open, signal: AbortSignal): Promise<void> {
    const { records, clock } = this.#options;
    if (passedOver && !isTimeout(signal)) return await records.end(kept.id);
    this.#lapsed.add({ ...kept, messageId: null, lapsedAt: clock.now() });
    await records.lapse(kept.id);
  }

  #keptOf(id: string, { sessionKey, platform, to, person, kind, text, about }: Question): ChatQuestion {
    return {
      id,
      sessionKey,
      platform,
      chatId: to.chatId,
      threadId: to.threadId,
      person,
      kind,
      text: this.#options.mask(text).slice(0, maxKeptChars).toWellFormed(),
      digest: createHash('sha256').update(about).digest('hex'),
    };
  }
}

const closeMs = 10_000;
/** The answer to a command that was taken back: none that anybody can give. */
const takenBack = 'taken back';

function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

/** A button of a message that was forwarded elsewhere is none. */
function isIn({ platform, to }: Question, source: SessionSource): boolean {
  return platform === source.platform && to.chatId === source.chat_id;
}
