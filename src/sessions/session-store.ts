/** What was said, durably: the parts of a store, each by what it is needed for. */
import type { ApprovalRecords } from './approval-records.ts';
import type { ChatInbox, Outbox } from './chat-inbox.ts';
import type { ChatReading } from './chat-reading.ts';
import type { ChatRoutes } from './chat-routes.ts';
import type { ChatTopics } from './chat-topics.ts';
import type { Compactions } from './compactions.ts';
import type { DelegationRecords } from './delegation-records.ts';
import type { Handoffs } from './handoffs.ts';
import type { SessionLeases } from './leases.ts';
import type { MessageSearch } from './message-search.ts';
import type { Messages } from './messages.ts';
import type { OutsideRuns } from './outside-runs.ts';
import type { ReceivedWebhooks } from './received-webhooks.ts';
import type { Sessions } from './sessions.ts';
import type { StoreMaintenance } from './store-maintenance.ts';
import type { StoreMeta } from './store-meta.ts';
import type { UsageLog } from './usage-log.ts';

/**
 * Every method of every part is durable against a killed process when its promise resolves. Implementations must keep
 * unknown columns, tables and newer schema versions untouched. Errors a user can act on are `UserError`s.
 *
 * @example
 * const store = await openSessionStore({ kind: 'sqlite', path: '/somewhere/state.db' });
 * const session = await store.sessions.resolve('yesterday');
 * const history = session && (await store.messages.conversation(session.id));
 * await store.close();
 */
export interface SessionStore extends ChatStore {
  readonly sessions: Sessions;
  readonly messages: Messages;
  readonly search: MessageSearch;
  readonly usage: UsageLog;
  readonly maintenance: StoreMaintenance;
  readonly meta: StoreMeta;
  readonly leases: SessionLeases;
  readonly outsideRuns: OutsideRuns;
  readonly compactions: Compactions;
  readonly approvals: ApprovalRecords;
  readonly delegations: DelegationRecords;
  readonly handoffs: Handoffs;
  /** Waits for writes under way. Safe to call twice. */
  close(): Promise<void>;
}

/** What only those need who receive messages of others. */
export interface ChatStore {
  readonly chatInbox: ChatInbox;
  readonly outbox: Outbox;
  readonly chatRoutes: ChatRoutes;
  readonly chatReading: ChatReading;
  readonly chatTopics: ChatTopics;
  readonly webhooks: ReceivedWebhooks;
}

/** How a store is opened. */
export interface StoreOptions {
  /** `now()` in milliseconds since the epoch; default the system's clock. */
  readonly clock?: { now(): number };
  /** Make sure within a few seconds that it can be written, before a conversation relies on it. */
  readonly forWriting?: boolean;
  /**
   * Only to be read: `always`, or where it cannot or must not be written instead of refusing it. Writes then reject.
   * Default `never`.
   */
  readonly forReading?: 'never' | 'if it must be' | 'always';
  /** Takes a line for the person: the store is newer than this build. */
  readonly tell?: (line: string) => void;
  /** How long one attempt waits for another process, in milliseconds. Default 1000. */
  readonly busyTimeoutMs?: number;
  /** Attempts in all. Default 15. */
  readonly attempts?: number;
}
