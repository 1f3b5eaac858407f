/** Sends what somebody asks for that is no answer, and has it stand in the conversation of that chat. */
import type { Log } from '../../lib/log.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { ChatRouting } from '../chats/chat-routing.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import type { ReplyFile } from '../delivery/reply-details.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { DeadTargets } from './dead-targets.ts';
import { mirror } from './mirror.ts';
import { type HandedMessage, type Outcome, sendOutgoing } from './outgoing.ts';

export interface SenderOptions {
  readonly store: SessionStore;
  readonly routing: ChatRouting;
  readonly deadTargets: DeadTargets;
  readonly clock: AdapterClock;
  readonly log: Log;
  /** Aborts when everything ends. */
  readonly stopping: AbortSignal;
  connection(platform: string): PlatformConnection | undefined;
  /** The files that a text names and that may be sent, and the text without their marks. */
  takeFiles(text: string): { readonly text: string; readonly files: readonly ReplyFile[] };
  /** Closes the conversation of a chat once it rests. */
  putDown(sessionKey: string, signal: AbortSignal): Promise<boolean>;
}

const sendMs = 120_000;
/** How long a running turn is waited for with what was sent into its chat. */
const putDownMs = 30_000;

export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  async send(asked: HandedMessage): Promise<Outcome> {
    const { store, routing, deadTargets, clock, log, stopping } = this.#options;
    const { platform, to } = asked;
    // Which files may go is not for whoever asks to say.
    const message = { ...asked, ...this.#options.takeFiles(asked.text) };
    const connection = this.#options.connection(platform);
    const adapter = connection?.adapter;
    if (connection === undefined || adapter === undefined) {
      const error = `${connection?.platform.label ?? platform} is not connected.`;
      return { result: { ok: false, kind: 'transient', error }, mirrored: false };
    }
    const signal = AbortSignal.timeout(sendMs);
    const result = await sendOutgoing(message, { adapter, facts: connection.platform, clock, signal });
    if (!result.ok) {
      if (result.kind === 'forbidden') deadTargets.mark({ platform, chatId: to.chatId }, result.error);
      return { result, mirrored: false };
    }
    deadTargets.clear({ platform, chatId: to.chatId });
    const putDown = async (key: string): Promise<boolean> =>
      await this.#options.putDown(key, AbortSignal.any([stopping, AbortSignal.timeout(putDownMs)]));
    return { result, mirrored: await mirror(message, { store, routes: routing.each(), log, putDown }) };
  }
}
