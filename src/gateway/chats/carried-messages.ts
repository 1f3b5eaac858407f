/** Messages whose turn was interrupted for the next one: its answer, or what is said in its place, is for them too. */
import type { ChatMessage } from '../../sessions/chat-inbox.ts';
import type { ChatDeps } from './chat-deps.ts';
import { type ChatRows, idsOf } from './chat-rows.ts';
import { joined, readWaiting } from './gather.ts';

type Deps = Pick<ChatDeps, 'inbox' | 'program'>;

export const parkedText =
  'I was interrupted while working on this and could not finish it. What was done so far is kept; send me a message to go on.';
const overText =
  'I was interrupted while working on this, and a new conversation has begun since, so it is not answered. Please send it again if it still matters.';

/** They stay open in the inbox, as `carried`, until they end together with the next turn. */
export class CarriedMessages {
  readonly #deps: Deps;
  readonly #ends: ChatRows;
  #rows: readonly ChatMessage[] = [];

  constructor(deps: Deps, ends: ChatRows) {
    this.#deps = deps;
    this.#ends = ends;
  }

  /** Their turn was interrupted. */
  async add(rows: readonly ChatMessage[]): Promise<void> {
    await this.#deps.inbox.carry(idsOf(rows));
    this.#rows = [...this.#rows, ...rows];
  }

  /** What the inbox has of them, in the place of what is known here. */
  restore(rows: readonly ChatMessage[]): void {
    this.#rows = rows;
  }

  /** They are about to end. */
  take(): readonly ChatMessage[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  /** Nothing waits any more that could be answered for them too. */
  async endAlone(): Promise<void> {
    await this.#tell(this.take(), parkedText);
  }

  /** Ends those of another conversation than this one: nothing that is said in it can be for them. */
  async endForeign(sessionId: string): Promise<void> {
    const sessions = this.#deps.program.store?.sessions;
    const foreign: ChatMessage[] = [];
    for (const row of this.#rows) {
      const session = row.sessionId === null ? undefined : await sessions?.resolve(row.sessionId);
      if (session?.id !== sessionId) foreign.push(row);
    }
    this.#rows = this.#rows.filter((row) => !foreign.includes(row));
    await this.#tell(foreign, overText);
  }

  async #tell(rows: readonly ChatMessage[], text: string): Promise<void> {
    const event = joined(rows.map(readWaiting).filter((read) => read !== undefined));
    if (event !== undefined) await this.#ends.endWithNotice(rows, 'interrupted', event, text);
  }
}
