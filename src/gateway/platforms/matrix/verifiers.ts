/** Who may verify the device of the bot, and the chat in which the two sides are compared. */
import type { AdapterHost } from '../../platform/adapter-host.ts';
import { sourceOf } from './intake.ts';
import type { Rooms } from './rooms.ts';
import { userId as userIdSchema } from './wire.ts';

export interface VerifiersOptions {
  readonly host: Pick<AdapterHost, 'isAuthorized' | 'config' | 'log'>;
  readonly rooms: Rooms;
  readonly me: string;
  readonly signal: AbortSignal;
}

export class Verifiers {
  readonly #options: VerifiersOptions;

  constructor(options: VerifiersOptions) {
    this.#options = options;
  }

  /** Who may talk to the bot in private. Whoever has the login of its account is none of the strangers. */
  async may(userId: string, roomId = ''): Promise<boolean> {
    const { host, me } = this.#options;
    if (!userIdSchema.safeParse(userId).success) return false;
    const around = { direct: true, roomName: undefined, senderName: userId };
    return userId === me || (await host.isAuthorized(sourceOf(roomId, { sender: userId, event_id: '' }, null, around)));
  }

  /** Encrypted, whichever it is: that with the person, and for another session of the bot's own account the home room. */
  async chatOf(userId: string): Promise<string | undefined> {
    const { host, rooms, me, signal } = this.#options;
    try {
      if (userId !== me) return await rooms.sealedWith(userId, signal);
      const home = host.config.homeChannel?.chatId;
      return home !== undefined && (await rooms.encryption(home, signal)) !== undefined ? home : undefined;
    } catch (error) {
      signal.throwIfAborted();
      host.log.warning(`no room was found to verify a device of ${userId} in`, error);
      return undefined;
    }
  }
}
