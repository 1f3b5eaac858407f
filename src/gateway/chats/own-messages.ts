/** What a chat puts into its own queue: words that stand for a message, news of background work, results of sub-agents. */
import { randomUUID } from 'node:crypto';
import { textOf } from '../../llm/message.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { AskedInput, ChatDeps } from './chat-deps.ts';

type Deps = Pick<ChatDeps, 'inbox' | 'clock' | 'log' | 'results'>;

/** The chat as they see it. */
export interface OwnMessagesPorts {
  /** Where news of background work goes: the message that came last. */
  last(): MessageEvent | undefined;
  /** The session that is open. */
  session(): { readonly id: string; readonly source: string } | undefined;
  /** Something is in the inbox. */
  wake(): void;
}

/** They are written down like any other message, and take their turn. */
export class OwnMessages {
  readonly #sessionKey: string;
  readonly #deps: Deps;
  readonly #ports: OwnMessagesPorts;
  /** What waits and stands for more than its words; after a restart the words are all there is. */
  readonly #asked = new Map<string, AskedInput>();
  #bringing: Promise<void> = Promise.resolve();
  /** Of the session that was open last. */
  #heard: { readonly id: string; readonly source: string } | undefined;

  constructor(sessionKey: string, deps: Deps, ports: OwnMessagesPorts) {
    this.#sessionKey = sessionKey;
    this.#deps = deps;
    this.#ports = ports;
  }

  async ask(event: MessageEvent, asked: AskedInput): Promise<void> {
    const own = { ...bare(event), event_id: randomUUID(), text: textOf(asked.content), attachments: [] };
    // Plain words are a message like any other.
    if (asked.sent !== undefined || asked.stored === true) this.#asked.set(own.event_id, asked);
    await this.#write(own);
  }

  /** What a message of `ask` stands for, once. */
  takeAsked({ event_id: id }: Pick<MessageEvent, 'event_id'>): AskedInput | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  /** Results of sub-agents are there. Returns at once. */
  bringResults(): void {
    this.#bringing = this.#bringing.then(() => this.#bring());
  }

  /** Resolves when all results are brought. */
  async settled(): Promise<void> {
    await this.#bringing;
  }

  /** What nobody sent as a message of its own takes its turn like any other; `internal`: no person said it. */
  async remember(text: string, own: { readonly internal: boolean }): Promise<void> {
    const last = this.#ports.last();
    if (last === undefined) return;
    try {
      await this.#write({ ...bare(last), event_id: randomUUID(), text, attachments: [], ...own });
    } catch (error) {
      this.#deps.log.warning('what is to be dealt with next could not be written down', error);
    }
  }

  /** What sub-agents have done is in the inbox before it counts as delivered. */
  async #bring(): Promise<void> {
    const { id, source } = this.#ports.session() ?? this.#heard ?? {};
    if (id === undefined || source === undefined) return;
    // Of a session that was closed nothing else is to stay.
    this.#heard = { id, source };
    const count = await this.#deps.results.bring(this.#sessionKey, { id, source }, this.#ports.last());
    if (count > 0) this.#ports.wake();
  }

  async #write(event: MessageEvent): Promise<void> {
    await this.#deps.inbox.accept({
      platform: event.source.platform,
      eventId: event.event_id,
      sessionKey: this.#sessionKey,
      event: JSON.stringify(event),
      receivedAt: this.#deps.clock.now(),
    });
    this.#ports.wake();
  }
}

/** A message without what belongs to that one alone. */
function bare({ attachments: _files, reply_to: _quoted, burst: _burst, ...said }: MessageEvent) {
  return said;
}
