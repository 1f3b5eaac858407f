/** Views hold as long as nobody has said anything new. */
import { createHash } from 'node:crypto';
import type { Message } from '../../llm/message.ts';
import type { ModelRequest } from '../../llm/protocol.ts';
import type { MixturePreset } from './mixture-settings.ts';
import { type View, wordsOf } from './views.ts';

interface Held {
  /** Of the words that the views were given on. */
  readonly digest: string;
  readonly views: readonly View[];
  /** How many messages the conversation had. */
  readonly at: number;
}

/** Conversations that a mixture answers side by side; of others the views are asked for anew. */
const most = 16;

export class HeldViews {
  readonly #fanout: NonNullable<MixturePreset['fanout']>;
  /** The newest of each conversation, the one that was asked last at the end. */
  readonly #held = new Map<string, Held>();

  constructor(fanout: NonNullable<MixturePreset['fanout']>) {
    this.#fanout = fanout;
  }

  /** Those that hold, or new ones of `ask`; what was interrupted is not held. Rejects as `ask` does. */
  async of(
    { messages, sessionId = '' }: Pick<ModelRequest, 'messages' | 'sessionId'>,
    ask: (words: readonly Message[]) => Promise<readonly View[]>,
    signal: AbortSignal,
  ): Promise<Omit<Held, 'digest'> & { readonly isNew: boolean }> {
    const words = wordsOf(this.#fanout === 'user_turn' ? untilUser(messages) : messages);
    const digest = createHash('sha256').update(JSON.stringify(words)).digest('hex');
    const held = this.#held.get(sessionId);
    if (held?.digest === digest && held.at <= messages.length) return { ...held, isNew: false };
    const views = await ask(words);
    this.#held.delete(sessionId);
    if (!signal.aborted) this.#held.set(sessionId, { digest, views, at: messages.length });
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= most) break;
      this.#held.delete(oldest);
    }
    return { views, at: messages.length, isNew: true };
  }
}

/** Up to the newest message of the user. */
function untilUser(messages: readonly Message[]): readonly Message[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === 'user') + 1);
}
