/** Looks for what is new in the conversations of chats, and has it become events. */
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { textOf } from '../../../llm/message.ts';
import { localTime } from '../../../sessions/route-entry.ts';
import type { SessionStore } from '../../../sessions/session-store.ts';
import type { EventQueue } from './event-queue.ts';
import { cut } from './messages.ts';
import type { StoreAtHand } from './store-at-hand.ts';

/** A call that waits for somebody's yes in a chat. */
export interface OpenApproval {
  readonly id: string;
  readonly session_key: string;
  readonly platform: string;
  readonly chat_id: string;
  readonly thread_id: string | null;
  /** What was asked, without secrets. */
  readonly question: string;
  /** When this server saw it first. */
  readonly created_at: string;
}

export interface WatcherOptions {
  readonly store: StoreAtHand;
  readonly events: EventQueue;
  readonly log: Log;
  readonly mask: (text: string) => string;
  /** Whether anybody asks in chats now. */
  readonly gatewayRuns: () => boolean;
}

const lookMs = 200;
const pageSize = 200;
const maxEventChars = 500;

export class ChatWatcher {
  readonly #options: WatcherOptions;
  readonly #approvals = new Map<string, OpenApproval>();
  /** Answered through us; whoever looks next must not say that somebody else did. */
  readonly #settled = new Map<string, string>();
  #mark: string | undefined;
  /** Id of the newest message that was looked at; undefined before the first look. */
  #seen: number | undefined;
  #looking: Promise<void> | undefined;
  #problem = '';

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  get approvals(): readonly OpenApproval[] {
    return [...this.#approvals.values()];
  }

  /** Until the signal aborts. Never rejects. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look();
      await sleep(lookMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Never rejects; what cannot be read now is looked for again. */
  async look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    await this.#looking;
  }

  /** An approval is being answered through this server; undefined: it could not be. */
  settled(id: string, decision: string | undefined): void {
    if (decision === undefined) this.#settled.delete(id);
    else if (this.#approvals.has(id)) this.#settled.set(id, decision);
  }

  async #look(): Promise<void> {
    const { store, log } = this.#options;
    try {
      const mark = store.mark();
      if (mark === this.#mark) return;
      if (mark === '') this.#seen = 0;
      await store.use(async (opened) => {
        await this.#takeMessages(opened);
        await this.#takeApprovals(opened);
      });
      this.#mark = mark;
      this.#problem = '';
    } catch (error) {
      // Once, not five times a second.
      if (errorMessage(error) !== this.#problem) log.warning(`chats cannot be watched: ${errorMessage(error)}`, error);
      this.#problem = errorMessage(error);
    }
  }

  async #takeMessages({ chatReading }: SessionStore): Promise<void> {
    const { events, mask } = this.#options;
    const newest = await chatReading.newest();
    // A store that took the place of another begins to count anew.
    this.#seen = Math.min(this.#seen ?? newest, newest);
    for (;;) {
      const { messages, upTo } = await chatReading.saidAfter(this.#seen, pageSize);
      for (const { id, sessionKey, timestamp, message } of messages) {
        const text = textOf(message.content);
        if (text === '') continue;
        events.add('message', sessionKey, {
          role: message.role,
          content: cut(mask(text), maxEventChars),
          timestamp: String(timestamp),
          message_id: String(id),
        });
      }
      if (upTo === undefined) return;
      this.#seen = upTo;
    }
  }

  /** Those of a gateway that died are nobody's to answer. */
  async #takeApprovals({ approvals }: SessionStore): Promise<void> {
    const { events, mask, gatewayRuns } = this.#options;
    const kept = gatewayRuns() ? await approvals.inChats.kept() : [];
    const open = kept.filter(({ kind, lapsedAt }) => kind === 'approval' && lapsedAt === null);
    for (const { id, sessionKey, platform, chatId, threadId, text } of open) {
      if (this.#approvals.has(id)) continue;
      const question = mask(text);
      const place = { session_key: sessionKey, platform, chat_id: chatId, thread_id: threadId };
      this.#approvals.set(id, { id, ...place, question, created_at: localTime(Date.now()) });
      events.add('approval_requested', sessionKey, { approval_id: id, platform, question });
    }
    for (const { id, session_key: key } of this.approvals) {
      if (open.some((one) => one.id === id)) continue;
      const lapsed = kept.some((one) => one.id === id);
      const decision = this.#settled.get(id) ?? (lapsed ? 'expired' : 'answered');
      this.#approvals.delete(id);
      this.#settled.delete(id);
      events.add('approval_resolved', key, { approval_id: id, decision });
    }
  }
}
