/** Brings what sub-agents have done in the background into the inbox of their chat, where it gets its turn like any message. */
import { textOf } from '../../llm/message.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { claimDue, conversationOf } from '../../runtime/delegation/due-results.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { eventAt } from '../platform/own-event.ts';
import { sessionSource } from '../platform/session-source.ts';
import type { ChatRouting } from './chat-routing.ts';

export interface ChatResultsOptions {
  readonly store: Pick<SessionStore, 'delegations' | 'sessions' | 'messages' | 'chatInbox'>;
  readonly routing: Pick<ChatRouting, 'get'>;
  readonly clock: Pick<AdapterClock, 'now'>;
  readonly log: Log;
}

/** A result is in the inbox before it counts as delivered; a second one of the same call is known by its id. */
export class ChatResults {
  readonly #options: ChatResultsOptions;

  constructor(options: ChatResultsOptions) {
    this.#options = options;
  }

  /**
   * Those for the session that a chat is in; `last` is the newest message of the chat. Returns how many came. Never
   * rejects: what could not be written down is due again.
   */
  async bring(sessionKey: string, session: { readonly id: string; readonly source: string }, last?: MessageEvent) {
    const { store, clock, log } = this.#options;
    let count = 0;
    try {
      const place = last ?? (await this.#placeOf(sessionKey));
      if (place === undefined) return 0;
      for (const due of await claimDue(store, session)) {
        const { content, sources = [] } = due.input;
        const event: MessageEvent = {
          event_id: due.delegationId,
          source: place.source,
          text: textOf(content),
          message_type: 'text',
          message_id: place.message_id,
          timestamp: clock.now(),
          attachments: [],
          internal: true,
          sources,
        };
        try {
          await store.chatInbox.accept({
            platform: place.source.platform,
            eventId: due.delegationId,
            sessionKey,
            event: JSON.stringify(event),
            receivedAt: clock.now(),
          });
        } catch (error) {
          await due.release();
          throw error;
        }
        await due.delivered();
        count += 1;
      }
    } catch (error) {
      log.warning(`results of sub-agents did not come into the chat: ${errorMessage(error)}`, error);
    }
    return count;
  }

  /** What earlier processes left, as far as the chats are still in the conversations that it belongs to. */
  async recover(): Promise<void> {
    const { store, routing, log } = this.#options;
    try {
      for (const { originSession, parentSessionId } of await store.delegations.waiting()) {
        const entry = await routing.get(originSession);
        if (entry?.platform == null) continue;
        const conversation = await conversationOf(store, entry.session_id);
        if (!conversation.includes(parentSessionId)) continue;
        await this.bring(originSession, { id: entry.session_id, source: entry.platform });
      }
    } catch (error) {
      log.warning('what sub-agents left was not looked for', error);
    }
  }

  async #placeOf(sessionKey: string): Promise<MessageEvent | undefined> {
    const entry = await this.#options.routing.get(sessionKey);
    const { data: source } = sessionSource.safeParse(entry?.origin);
    if (source === undefined) return undefined;
    return { ...eventAt(source.platform, source.chat_id, source.thread_id), source };
  }
}
