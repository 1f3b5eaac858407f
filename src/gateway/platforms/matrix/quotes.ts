/** What was said before, for answers to it: remembered, or asked for. */
import type { AdapterHost } from '../../platform/adapter-host.ts';
import type { QuotedMessage } from '../../platform/message-event.ts';
import { type MatrixApi, path } from './api.ts';
import type { Machine } from './crypto/machine.ts';
import { contentOf, withoutFallback } from './intake.ts';
import { Recent } from './recent.ts';
import * as wire from './wire.ts';

export interface QuotesOptions {
  readonly api: MatrixApi;
  readonly host: Pick<AdapterHost, 'log'>;
  readonly machine: Machine | undefined;
  readonly userId: string;
  readonly signal: AbortSignal;
}

interface Said {
  readonly sender: string;
  readonly text: string;
}

const maxRecent = 2000;

export class Quotes {
  readonly #options: QuotesOptions;
  readonly #recent = new Recent<Said>(maxRecent);

  constructor(options: QuotesOptions) {
    this.#options = options;
  }

  learn({ event_id: id, sender }: wire.MatrixEvent, content: wire.MessageContent): void {
    this.#recent.set(id, { sender, text: withoutFallback(content.body) });
  }

  async find(roomId: string, eventId: string): Promise<QuotedMessage> {
    const known = this.#recent.get(eventId) ?? (await this.#fetched(roomId, eventId));
    if (known === undefined) return { message_id: eventId, own: false };
    const { sender, text } = known;
    return { message_id: eventId, text, author_id: sender, own: sender === this.#options.userId };
  }

  async #fetched(roomId: string, eventId: string): Promise<Said | undefined> {
    const { api, machine, host, signal } = this.#options;
    try {
      const found = await api.call('GET', path`/client/v3/rooms/${roomId}/event/${eventId}`, wire.event, { signal });
      const decrypted = found.type === 'm.room.encrypted' ? await machine?.decrypt(found, roomId, signal) : undefined;
      const content = contentOf(decrypted?.as === 'event' ? decrypted.event : found);
      return { sender: found.sender, text: withoutFallback(content?.body ?? '') };
    } catch (error) {
      signal.throwIfAborted();
      host.log.debug(`a quoted message of ${roomId} is not known`, error);
      return undefined;
    }
  }
}
