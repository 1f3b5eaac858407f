/** The chats that are in use: any number while they work, a bounded number while they rest. */
import { UserError } from '../../lib/errors.ts';
import type { ChatMessage } from '../../sessions/chat-inbox.ts';
import { Chat } from './chat.ts';
import type { ChatDeps } from './chat-deps.ts';

export interface ChatsOptions {
  /** Most that rest with an open conversation. */
  readonly most?: number;
  /** How long one rests before it is closed, in milliseconds. */
  readonly idleMs?: number;
}

const usualMost = 128;
const usualIdleMs = 3_600_000;
/** So long after its last message a chat stays for what was started in it. */
const processesMs = 24 * 3_600_000;
/** While so many work, the next chat that an earlier process left is not taken up for so long. */
const takenUpAtOnce = 16;
const patienceMs = 100;

/** A chat that is closed loses nothing: the next message opens it again with its history. */
export class Chats {
  readonly #deps: ChatDeps;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #chats = new Map<string, Chat>();
  readonly #leaving = new Map<string, Promise<void>>();
  /** Keys of chats with messages of earlier processes that nobody has begun with, the oldest first. */
  readonly #left = new Set<string>();
  #takingUp = false;

  constructor(deps: ChatDeps, { most = usualMost, idleMs = usualIdleMs }: ChatsOptions = {}) {
    this.#deps = deps;
    this.#most = most;
    this.#idleMs = idleMs;
  }

  get busy(): readonly Chat[] {
    return [...this.#chats.values()].filter(({ busy }) => busy);
  }

  get count(): number {
    return this.#chats.size;
  }

  /** The chat of a key; the one that was used last stands last. */
  get(sessionKey: string): Chat {
    const chat = this.#chats.get(sessionKey) ?? new Chat(sessionKey, this.#deps, this.#leaving.get(sessionKey));
    this.#chats.delete(sessionKey);
    this.#chats.set(sessionKey, chat);
    this.#tidy(chat);
    return chat;
  }

  find(sessionKey: string): Chat | undefined {
    return this.#chats.get(sessionKey);
  }

  /**
   * Starts whatever was running when the last process ended, and little by little what was waiting: thousands of chats that
   * begin at one moment would keep everybody else waiting. A chat in which somebody writes meanwhile begins with what waits.
   */
  recover(open: readonly ChatMessage[]): void {
    const keys = new Map<string, ChatMessage[]>();
    for (const row of open) keys.set(row.sessionKey, [...(keys.get(row.sessionKey) ?? []), row]);
    for (const [key, rows] of keys) {
      const running = rows.filter(({ state }) => state === 'running');
      if (running.length > 0) this.get(key).recover(running);
      else this.#left.add(key);
    }
    if (!this.#takingUp) void this.#takeUp();
  }

  /** Closes what rests too long. Called from time to time. */
  expire(): void {
    const before = this.#deps.clock.now() - this.#idleMs;
    for (const [key, chat] of this.#chats) if (this.#mayGo(chat) && chat.usedAt < before) this.#close(key, chat);
  }

  /**
   * Closes the chats whose keys are named, whatever they do, and returns these: their messages stay in the inbox as they
   * are. Rejects when the signal aborts before they have ended.
   */
  async closeAll(isNamed: (sessionKey: string) => boolean, signal: AbortSignal): Promise<readonly string[]> {
    const stopped = new Promise<never>((_, reject) => {
      const late = new UserError('a chat did not come to its end in time');
      signal.addEventListener('abort', () => reject(late), { once: true });
    });
    for (const key of [...this.#left].filter(isNamed)) this.#left.delete(key);
    for (const [key, chat] of this.#chats) if (isNamed(key)) this.#close(key, chat);
    const leaving = [...this.#leaving].filter(([key]) => isNamed(key));
    await Promise.race([Promise.all(leaving.map(([, closed]) => closed)), stopped]);
    return leaving.map(([key]) => key);
  }

  /** Gives back what one holds; false: it is at work. */
  async closeResting(sessionKey: string): Promise<boolean> {
    const chat = this.#chats.get(sessionKey);
    if (chat?.busy === true) return false;
    if (chat !== undefined) this.#close(sessionKey, chat);
    await this.#leaving.get(sessionKey);
    return true;
  }

  /**
   * Closes a chat once it rests, so that its conversation can be written to. False when the signal aborts before, and when
   * something that was started in it would end with it.
   */
  async putDown(sessionKey: string, signal: AbortSignal): Promise<boolean> {
    const chat = (): Chat | undefined => this.#chats.get(sessionKey);
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    while (chat()?.busy === true && !signal.aborted) await Promise.race([chat()?.settled(), stopped]);
    if (signal.aborted) return false;
    const resting = chat();
    if (resting?.hasProcesses === true) return false;
    if (resting !== undefined) this.#close(sessionKey, resting);
    await this.#leaving.get(sessionKey);
    return true;
  }

  async settled(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    while (this.busy.length > 0 && !signal.aborted) {
      await Promise.race([Promise.all(this.busy.map((chat) => chat.settled())), stopped]);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#chats.values()].map((chat) => chat.close()));
    await Promise.all(this.#leaving.values());
    this.#chats.clear();
  }

  async #takeUp(): Promise<void> {
    const { stopping } = this.#deps;
    this.#takingUp = true;
    for (const key of this.#left) {
      if (this.busy.length >= takenUpAtOnce) await this.#fewer();
      if (stopping.aborted) break;
      this.#left.delete(key);
      this.get(key).arrived(undefined);
    }
    this.#takingUp = false;
  }

  /** Resolves when one of those that work is done, or after a while. */
  async #fewer(): Promise<void> {
    const { clock, stopping } = this.#deps;
    const done = new AbortController();
    const late = clock.sleep(patienceMs, AbortSignal.any([stopping, done.signal])).catch(() => undefined);
    await Promise.race([late, ...this.busy.map((chat) => chat.settled())]);
    done.abort();
  }

  /** `wanted` stays: it is about to be used. */
  #tidy(wanted: Chat): void {
    if (this.#chats.size <= this.#most) return;
    for (const [key, chat] of this.#chats) {
      if (this.#chats.size <= this.#most) return;
      if (this.#mayGo(chat) && chat !== wanted) this.#close(key, chat);
    }
  }

  #mayGo(chat: Chat): boolean {
    return chat.rests && (!chat.hasProcesses || chat.usedAt < this.#deps.clock.now() - processesMs);
  }

  #close(key: string, chat: Chat): void {
    this.#chats.delete(key);
    const closed = chat
      .close()
      .catch((error: unknown) => this.#deps.log.warning('a resting chat was not closed well', error))
      .finally(() => this.#leaving.delete(key));
    this.#leaving.set(key, closed);
  }
}
