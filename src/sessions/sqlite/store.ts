/** The session store on SQLite: a class for each part, over one connection. */
import type { SessionStore } from '../session-store.ts';
import { SqliteApprovals } from './approvals.ts';
import { SqliteChatInbox } from './chat-inbox.ts';
import { SqliteChatQuestions } from './chat-questions.ts';
import { SqliteChatReading } from './chat-reading.ts';
import { SqliteChatRoutes } from './chat-routes.ts';
import { SqliteChatTopics } from './chat-topics.ts';
import { SqliteCompactions } from './compactions.ts';
import type { Connection } from './connection.ts';
import type { FullTextIndex } from './full-text.ts';
import { DurableWrites } from './durable-writes.ts';
import { SqliteDelegations } from './delegations.ts';
import { SqliteHandoffs } from './handoffs.ts';
import { SqliteLeases } from './leases.ts';
import { SqliteMaintenance } from './maintenance.ts';
import { SqliteMessages } from './messages.ts';
import { SqliteMeta } from './meta.ts';
import { SqliteOutbox } from './outbox.ts';
import { SqliteOutsideRuns } from './outside-runs.ts';
import { SqliteReceivedWebhooks } from './received-webhooks.ts';
import { SqliteSearch } from './search.ts';
import { SqliteSessions } from './sessions.ts';
import { SqliteUsage } from './usage.ts';

export class SqliteSessionStore implements SessionStore {
  readonly sessions: SqliteSessions;
  readonly messages: SqliteMessages;
  readonly search: SqliteSearch;
  readonly usage: SqliteUsage;
  readonly maintenance: SqliteMaintenance;
  readonly meta: SqliteMeta;
  readonly leases: SqliteLeases;
  readonly outsideRuns: SqliteOutsideRuns;
  readonly compactions: SqliteCompactions;
  readonly approvals: SqliteApprovals;
  readonly chatInbox: SqliteChatInbox;
  readonly outbox: SqliteOutbox;
  readonly chatRoutes: SqliteChatRoutes;
  readonly chatReading: SqliteChatReading;
  readonly chatTopics: SqliteChatTopics;
  readonly webhooks: SqliteReceivedWebhooks;
  readonly delegations: SqliteDelegations;
  readonly handoffs: SqliteHandoffs;
  readonly #db: Connection;
  readonly #chats: DurableWrites;

  /** `db` must have been made ready with `openSchema`, which knows `index`. */
  constructor(db: Connection, index: FullTextIndex, clock: { now(): number }) {
    const now = (): number => clock.now() / 1000;
    this.#db = db;
    this.sessions = new SqliteSessions(db, now);
    this.messages = new SqliteMessages(db, now);
    this.search = new SqliteSearch(db, index);
    this.usage = new SqliteUsage(db, now);
    this.maintenance = new SqliteMaintenance(db, index, now);
    this.meta = new SqliteMeta(db);
    this.leases = new SqliteLeases(db, now);
    this.outsideRuns = new SqliteOutsideRuns(db, now);
    this.compactions = new SqliteCompactions(db, now);
    this.#chats = new DurableWrites(db);
    this.approvals = new SqliteApprovals(db, now, new SqliteChatQuestions(db, this.#chats, clock));
    this.outbox = new SqliteOutbox(db, this.#chats, clock);
    this.chatInbox = new SqliteChatInbox(db, this.#chats, clock, this.outbox);
    this.chatRoutes = new SqliteChatRoutes(db, this.#chats, clock);
    this.chatReading = new SqliteChatReading(db);
    this.chatTopics = new SqliteChatTopics(db, this.#chats, this.chatRoutes, now);
    this.delegations = new SqliteDelegations(db, now);
    this.handoffs = new SqliteHandoffs(db, this.#chats, { routes: this.chatRoutes, inbox: this.chatInbox }, now);
    this.webhooks = new SqliteReceivedWebhooks(db, this.#chats, clock);
  }

  async close(): Promise<void> {
    await this.#db.close();
  }
}
