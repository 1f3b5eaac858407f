/** Where the answers of webhooks go: the contract with whatever reaches chats. */

/** A chat, as a route names it. */
export interface ChatTarget {
  readonly platform: string;
  /** Undefined: the home chat of the platform. */
  readonly chatId: string | undefined;
  readonly threadId: string | undefined;
}

export interface DeliveryDetails {
  /** The same text of the same delivery has the same id, also after a restart. */
  readonly id: string;
  readonly route: string;
  readonly deliveryId: string;
  /**
   * True: the text may be written down and sent later, which counts as delivered. False: the sender is told at once, so
   * what is called failed must not be sent any more.
   */
  readonly lasting: boolean;
  /** The process died while it was being sent: it may have arrived. */
  readonly mayRepeat: boolean;
  readonly signal: AbortSignal;
}

/** `error` is for the log alone. */
export type DeliveryOutcome = { readonly as: 'delivered' } | { readonly as: 'failed'; readonly error: string };

/** Sends to chats. Must not throw, and must end soon after its signal aborts. */
export interface WebhookDelivery {
  /** False for platforms that nobody knows, connected or not. */
  knows(platform: string): boolean;
  deliver(target: ChatTarget, text: string, details: DeliveryDetails): Promise<DeliveryOutcome>;
}

/** Of a process without chats. */
export const noChats: WebhookDelivery = {
  knows: () => false,
  deliver: async ({ platform }) => ({ as: 'failed', error: `no chat platform '${platform}' is connected` }),
};
