/** Chats that bots of one profile bring and another profile answers, where one process serves several. */
import type { PromptDesk } from './chats/prompt-desk.ts';
import type { PlatformConnection } from './connections/platform-connection.ts';
import type { Authorization } from './intake/authorization.ts';
import type { Acceptance } from './platform/adapter-host.ts';
import type { ChatAddress } from './platform/adapter.ts';
import type { MessageEvent } from './platform/message-event.ts';
import type { SessionSource } from './platform/session-source.ts';

/** A gateway whose bots are used by another one. */
export interface Lender {
  readonly authorization: Authorization;
  /** Names of the platforms that are connected. */
  readonly connected: readonly string[];
  connection(platform: string): PlatformConnection | undefined;
}

/** A gateway that answers in chats of another one's bots. */
export interface Guest {
  readonly desk: Pick<PromptDesk, 'press'>;
  /** Whether chats of this platform can be brought to it: it has no bot of its own there. */
  takesFromOthers(platform: string): boolean;
  /** A message that came through a bot of the other one, which has let its sender in. */
  acceptFromOther(event: MessageEvent): Promise<Acceptance>;
  /** A platform of the other one is connected: what waits for it can be sent. */
  connectedElsewhere(platform: string): void;
  /** A chat of the other one's bot goes by another id. */
  movedElsewhere(platform: string, from: string, to: string): Promise<void>;
  /** A thread of the other one's bot is gone. Returns at once. */
  threadGoneElsewhere(platform: string, to: ChatAddress): void;
}

export interface Guests {
  /**
   * The one that answers there; undefined, or resolved to it: we do. Rejects when the other one cannot be had just now, with
   * an error for people.
   */
  find(source: SessionSource): Promise<Guest | undefined> | undefined;
  /** Those that are open. */
  readonly open: readonly Guest[];
}

export interface LendingOptions {
  /** Names of the platforms that have bots of our own. */
  readonly own: readonly string[];
  /** The profile whose bots bring chats here. */
  lender?(): Lender | undefined;
  /** Those that answer in some chats of our bots. */
  readonly guests?: Guests;
}

/** Who brings chats to one gateway, and for whom it brings some. */
export class Lending {
  readonly #options: LendingOptions;

  constructor(options: LendingOptions) {
    this.#options = options;
  }

  takesFromOthers(platform: string): boolean {
    return !this.#options.own.includes(platform);
  }

  /** Undefined for a platform of our own, and where nobody lends one. */
  lenderOf(platform: string): Lender | undefined {
    if (!this.takesFromOthers(platform)) return undefined;
    const lender = this.#options.lender?.();
    return lender?.connection(platform) === undefined ? undefined : lender;
  }

  /** Names of the lender's platforms that are connected. */
  get connected(): readonly string[] {
    return this.#options.lender?.()?.connected ?? [];
  }

  /** Who answers there in our place; undefined: we do. Rejects as `Guests.find` does. */
  async guestAt(source: SessionSource): Promise<Guest | undefined> {
    return await this.#options.guests?.find(source);
  }

  /** One of our platforms is connected. */
  tellConnected(platform: string): void {
    for (const guest of this.#guests) guest.connectedElsewhere(platform);
  }

  /** A chat of one of our bots goes by another id. */
  async tellMoved(platform: string, from: string, to: string): Promise<void> {
    await Promise.all(this.#guests.map((guest) => guest.movedElsewhere(platform, from, to)));
  }

  /** A thread of one of our bots is gone. */
  tellThreadGone(platform: string, to: ChatAddress): void {
    for (const guest of this.#guests) guest.threadGoneElsewhere(platform, to);
  }

  get #guests(): readonly Guest[] {
    return this.#options.guests?.open ?? [];
  }
}
