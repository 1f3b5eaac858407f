/** A chat that goes on under another id. */

export interface ChatMove {
  readonly platform: string;
  readonly from: string;
  readonly to: string;
  /** The key of the same conversation from now on; undefined for one of another chat. */
  readonly rekey: (sessionKey: string) => string | undefined;
  /** What the inbox keeps of a message, as it reads in the chat as it is now: ids of messages mean others there. */
  readonly event: (stored: string) => string;
  /** The same of a reply in the outbox. */
  readonly details: (stored: string) => string;
}
