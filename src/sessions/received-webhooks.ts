/** Deliveries of webhooks that were accepted: so that none is lost, and none that is repeated runs twice. */

/** A delivery as it is written down before its sender is told that it arrived. */
export interface NewWebhook {
  readonly route: string;
  /** Unique on its route: the second one with the same id is a duplicate for an hour, and as long as the first is open. */
  readonly deliveryId: string;
  /** JSON of whoever works on it. */
  readonly job: string;
}

/**
 * - `waiting`: nobody works on it
 * - `running`: a turn has begun with it, in the session `sessionId`
 * - `answered`: the answer is there and is on its way
 */
export type WebhookState = 'waiting' | 'running' | 'answered';

export interface ReceivedWebhook extends NewWebhook {
  readonly id: number;
  readonly state: WebhookState;
  /** How often its turn has begun. */
  readonly attempts: number;
  readonly sessionId: string | null;
  /** Of one that is answered. */
  readonly answer: string | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/**
 * What a method did is on the disk when its promise resolves: it outlives a killed process and a power cut. Of those that
 * have ended the ids are kept for an hour, at most 10,000, and nothing of what was written in them.
 *
 * @example
 * const id = await store.webhooks.accept({ route: 'github', deliveryId, job });
 * if (id !== undefined) run(id);
 */
export interface ReceivedWebhooks {
  /** Its id; undefined for a duplicate. Many calls in one turn of the event loop share one transaction. */
  accept(webhook: NewWebhook): Promise<number | undefined>;
  /** True when `accept` would call it a duplicate now. */
  isKnown(webhook: Pick<NewWebhook, 'route' | 'deliveryId'>): Promise<boolean>;
  /** A turn begins with it. */
  begin(id: number, sessionId: string): Promise<void>;
  /** Its turn is over. */
  answered(id: number, answer: string): Promise<void>;
  end(id: number): Promise<void>;
  /** It was not handled after all: when it comes again, it is new. */
  forget(id: number): Promise<void>;
  /** Everything that has not ended, oldest first. For the start. */
  open(): Promise<readonly ReceivedWebhook[]>;
}
