/** Whether this process continues a conversation, or somebody else does. */
import { UserError } from '../lib/errors.ts';
import type { Session } from '../runtime/session.ts';
import type { LeaseHolder } from '../sessions/leases.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { describeHolder, readOnlyHere } from './lease-words.ts';
import type { SessionLease } from './session-lease.ts';

/** A conversation that others can continue too. */
export interface StoredConversation {
  readonly store: Pick<SessionStore, 'sessions' | 'messages'>;
  readonly lease: SessionLease;
}

export interface HoldListener {
  /** Somebody else has it: nothing more may be said here. */
  onLost(by: LeaseHolder): void;
  /** Before the history is read again: resolves when no turn runs. */
  quiet(): Promise<void>;
  /** Waiting for it ended without it. */
  onProblem(error: unknown): void;
  /** It is here again, or under another id that has to be opened. */
  onHere(movedTo: string | undefined): Promise<void>;
}

/** Without a stored conversation nobody else can have it. */
export class ConversationHold {
  readonly #session: Session;
  readonly #stored: StoredConversation | undefined;
  readonly #listener: HoldListener;
  #by: LeaseHolder | undefined;
  #refusal: UserError | undefined;
  #claimed = false;
  #waiting: AbortController | undefined;

  constructor(session: Session, stored: StoredConversation | undefined, listener: HoldListener) {
    this.#session = session;
    this.#stored = stored;
    this.#listener = listener;
    stored?.lease.onLost((by) => this.#lose(by));
  }

  /** Who else continues it. */
  get by(): LeaseHolder | undefined {
    return this.#by;
  }

  /** Why nothing may be said here any more. */
  get refusal(): UserError | undefined {
    return this.#refusal;
  }

  /** False as long as it is known that a turn may not begin. */
  get free(): boolean {
    return this.#by === undefined && this.#refusal === undefined;
  }

  /** Costs nothing while the lease is held and fresh, unless it has to be `certain`. False when somebody else has it. */
  async claim(options?: { readonly certain: boolean }): Promise<boolean> {
    if (!this.free || this.#stored === undefined) return this.free;
    const claim = await this.#stored.lease.claim(this.#session.id, options);
    if (claim !== 'taken' && claim !== 'kept') {
      this.#lose(claim);
      return false;
    }
    this.#session.fence = this.#stored.lease.fence;
    const again = claim === 'taken' && this.#claimed;
    this.#claimed = true;
    if (again) await this.#goOn(this.#stored);
    return this.free;
  }

  /** Throws `UserError` unless it can be written. */
  async require(): Promise<void> {
    if (!(await this.claim())) throw this.#refusal ?? new UserError(describeHolder(this.#by));
  }

  /** Goes on here as soon as nobody has it. */
  wait(): void {
    const stored = this.#stored;
    if (stored === undefined || this.#by === undefined) return;
    this.#refusal = undefined;
    this.#waiting?.abort();
    this.#waiting = new AbortController();
    const id = (): Promise<string> => this.#liveId(stored);
    void this.#waitFor(stored, id, this.#waiting.signal);
  }

  async #waitFor(stored: StoredConversation, id: () => Promise<string>, signal: AbortSignal): Promise<void> {
    try {
      await stored.lease.wait(id, signal);
      await this.#goOn(stored);
    } catch (error) {
      if (!signal.aborted) this.#listener.onProblem(error);
    }
  }

  async takeOver(): Promise<void> {
    if (this.#stored === undefined || this.#by === undefined) return;
    this.#waiting?.abort();
    this.#refusal = undefined;
    await this.#stored.lease.takeOver(await this.#liveId(this.#stored));
    await this.#goOn(this.#stored);
  }

  /** Returns why nothing may be said from now on. */
  onlyRead(): UserError | undefined {
    if (this.#by === undefined) return undefined;
    this.#waiting?.abort();
    this.#refusal = readOnlyHere(this.#by);
    return this.#refusal;
  }

  moved(to: string): void {
    this.#stored?.lease.moved(to);
  }

  async release(): Promise<void> {
    this.#waiting?.abort();
    await this.#stored?.lease.release();
  }

  /** Writes keep the fence of the lost lease, and the store refuses them. */
  #lose(by: LeaseHolder): void {
    this.#by = by;
    this.#listener.onLost(by);
  }

  /** The lease is here: goes on from what was said elsewhere. */
  async #goOn(stored: StoredConversation): Promise<void> {
    const { store, lease } = stored;
    const id = await this.#liveId(stored);
    if (id !== this.#session.id) {
      lease.forget();
      this.#refusal = new UserError('This conversation went on under another id.', { hint: `/resume ${id}` });
      return await this.#listener.onHere(id);
    }
    if (this.#by !== undefined) await this.#listener.quiet();
    this.#session.fence = lease.fence;
    this.#session.agent.replaceHistory(await store.messages.conversation(id));
    if (this.#by === undefined) return;
    this.#by = undefined;
    await this.#listener.onHere(undefined);
  }

  /** The id under which the conversation goes on: a compaction elsewhere gives it another one. */
  async #liveId({ store }: StoredConversation): Promise<string> {
    return (await store.sessions.resolve(this.#session.id))?.id ?? this.#session.id;
  }
}
