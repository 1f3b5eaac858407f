/** Who may speak to the agent. Decided by ids and the owner's lists alone, never by a name. */
import type { MessageEvent } from '../platform/message-event.ts';
import type { SessionSource } from '../platform/session-source.ts';

/**
 * `stranger`: nobody has let them in. In a private chat they may be told how to be (`reply`); in a group nothing is said.
 */
export type Admission = { readonly as: 'allowed' } | { readonly as: 'stranger'; readonly reply?: string };

export type Admitted = Pick<MessageEvent, 'source' | 'from_bot' | 'authorized' | 'internal'> & {
  /** Nothing was written: a stranger is not told how to be let in, and nothing is kept of them. */
  readonly silent?: boolean;
};

/**
 * Asked before a message is written down. Lists are those of now: what the operator changes holds with the next message.
 *
 * @example
 * if ((await authorization.admit(event)).as !== 'allowed') return 'ignored';
 */
export interface Authorization {
  admit(event: Admitted): Promise<Admission>;
  /**
   * True when the sender may run this command there; plain messages are not asked about. `command`: a name that it has,
   * lower case, with `-` for `_`.
   */
  mayRun(command: string, event: Pick<MessageEvent, 'source'>): boolean;
  /** `unrestricted` where no administrators are named; `alone`: and the sender is the only one whom the owner's lists name. */
  tierOf(source: SessionSource): { readonly tier: Tier; readonly alone?: boolean };
}

export type Tier = 'unrestricted' | 'admin' | 'user';
