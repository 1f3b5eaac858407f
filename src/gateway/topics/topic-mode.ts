/** One private chat of Telegram, several conversations: the main chat takes commands only, each topic is a conversation. */
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { ChatTopics, TopicChat } from '../../sessions/chat-topics.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { SessionSource } from '../platform/session-source.ts';
import { boundElsewhere, lobbyHint, notInLobby } from './topic-words.ts';

export interface TopicModeOptions {
  readonly topics: ChatTopics;
  readonly clock: { now(): number };
  readonly log: Log;
  connection(platform: string): PlatformConnection | undefined;
}

/** Whoever forgets where they write is told once in a while, not with each line. */
const hintEveryMs = 30_000;
const maxHinted = 1000;
const renameMs = 30_000;
const maxNameChars = 120;
/** The General topic is the main chat. */
const mainThreads: ReadonlySet<string | null> = new Set([null, '', '1']);

export class TopicMode {
  readonly #options: TopicModeOptions;
  /** When a hint was given last, by chat. */
  readonly #hinted = new Map<string, number>();

  constructor(options: TopicModeOptions) {
    this.#options = options;
  }

  get store(): ChatTopics {
    return this.#options.topics;
  }

  /** The private chat that may have topics; undefined for every other one. */
  chatOf({ platform, chat_type: type, chat_id: chatId, user_id: userId }: SessionSource): TopicChat | undefined {
    return platform === 'telegram' && type === 'dm' && userId !== null ? { chatId, userId } : undefined;
  }

  /** The topic that somebody writes in; undefined for the main chat. */
  threadOf({ thread_id: thread }: SessionSource): string | undefined {
    return thread === null || mainThreads.has(thread) ? undefined : thread;
  }

  async isLobby(source: SessionSource): Promise<boolean> {
    return this.threadOf(source) === undefined && (await this.#isOn(source));
  }

  async isTopic(source: SessionSource): Promise<boolean> {
    return this.threadOf(source) !== undefined && (await this.#isOn(source));
  }

  /**
   * What is said to a message in the place of an answer: nothing, when it was said a moment ago. Undefined: it is answered.
   * What the program tells itself is about a conversation that was there before.
   */
  async turnedAway({ source, internal }: MessageEvent): Promise<{ readonly hint: string | undefined } | undefined> {
    if (internal === true || !(await this.isLobby(source))) return undefined;
    const now = this.#options.clock.now();
    const last = this.#hinted.get(source.chat_id);
    if (last !== undefined && now >= last && now - last < hintEveryMs) return { hint: undefined };
    if (this.#hinted.size >= maxHinted) this.#hinted.clear();
    this.#hinted.set(source.chat_id, now);
    return { hint: lobbyHint };
  }

  /** Throws `UserError` where no conversation may begin, or not this one. */
  async mayGoOnIn(source: SessionSource, sessionId?: string): Promise<void> {
    if (await this.isLobby(source)) throw new UserError(notInLobby);
    if (sessionId !== undefined && (await this.#isElsewhere(source, sessionId))) throw new UserError(boundElsewhere);
  }

  /** The conversation has a name: so has its topic. Never rejects. */
  async named(sessionId: string, title: string): Promise<void> {
    const { topics, log } = this.#options;
    const name = shortName(title);
    if (name === '') return;
    try {
      const topic = await topics.ofSession(sessionId);
      if (topic === undefined || !(await topics.isOn(topic))) return;
      const { chatId, threadId } = topic;
      const threads = this.#options.connection('telegram')?.adapter?.threads;
      await threads?.rename?.({ chatId, threadId }, name, AbortSignal.timeout(renameMs));
    } catch (error) {
      log.warning(`a topic was not named after its conversation: ${errorMessage(error)}`, error);
    }
  }

  /** The next message in the main chat is told at once. */
  forgetHint(chatId: string): void {
    this.#hinted.delete(chatId);
  }

  async #isOn(source: SessionSource): Promise<boolean> {
    const chat = this.chatOf(source);
    return chat !== undefined && (await this.#options.topics.isOn(chat));
  }

  async #isElsewhere(source: SessionSource, sessionId: string): Promise<boolean> {
    if (!(await this.isTopic(source))) return false;
    const topic = await this.#options.topics.ofSession(sessionId);
    return topic !== undefined && (topic.chatId !== source.chat_id || topic.threadId !== source.thread_id);
  }
}

function shortName(title: string): string {
  const line = title.replace(/\s+/g, ' ').trim();
  if (line.length <= maxNameChars) return line.toWellFormed();
  return `${line
    .slice(0, maxNameChars - 1)
    .trimEnd()
    .toWellFormed()}…`;
}
