/** The program itself, as its owner reaches it from a chat. */
import type { MessageEvent } from '../platform/message-event.ts';

export interface OwnProgram {
  /** What `hermes <words>` says in this home, run beside the gateway; it can ask nothing. Throws `UserError`. */
  run(words: readonly string[]): Promise<string>;
  /**
   * Has a newer version installed and the gateway restarted, once what runs is done; the chat is told when that is over.
   * Returns what there is to tell until then. Throws `UserError` when that cannot be, or there is nobody to start it again.
   */
  update(event: MessageEvent): Promise<string>;
}
