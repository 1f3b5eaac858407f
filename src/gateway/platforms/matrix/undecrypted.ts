/** Messages whose keys have not come yet: kept across restarts, tried again, and told when they stay unreadable. */
import * as z from 'zod';
import { parseJson } from '../../../lib/json.ts';
import type { AdapterHost } from '../../platform/adapter-host.ts';
import { event, type MatrixEvent } from './wire.ts';

const note = 'undecrypted';
const waiting = z.object({ roomId: z.string(), event, arrived: z.number(), told: z.boolean() });
const list = z.array(waiting);

export type Waiting = z.infer<typeof waiting>;

/** A note may have 64 KiB. */
const maxBytes = 60_000;
/** Keys that come at all come soon. */
const tellAfterMs = 60_000;
const forgetAfterMs = 24 * 3_600_000;

export class Undecrypted {
  readonly #host: Pick<AdapterHost, 'notes' | 'clock'>;
  #waiting: readonly Waiting[] = [];

  constructor(host: Pick<AdapterHost, 'notes' | 'clock'>) {
    this.#host = host;
  }

  get all(): readonly Waiting[] {
    return this.#waiting;
  }

  async load(): Promise<void> {
    this.#waiting = list.safeParse(parseJson((await this.#host.notes.get(note)) ?? '')).data ?? [];
  }

  /** Those that do not fit any more, oldest first: they have to be told now. */
  async add(roomId: string, given: MatrixEvent): Promise<readonly Waiting[]> {
    if (this.#waiting.some(({ event: { event_id: id } }) => id === given.event_id)) return [];
    const added = { roomId, event: given, arrived: this.#host.clock.now(), told: false };
    if (JSON.stringify([added]).length > maxBytes) return [added];
    const kept = [...this.#waiting, added];
    const dropped: Waiting[] = [];
    while (Buffer.byteLength(JSON.stringify(kept)) > maxBytes) dropped.push(...kept.splice(0, 1));
    await this.#save(kept);
    return dropped.filter(({ told }) => !told);
  }

  async remove(eventId: string): Promise<void> {
    await this.#save(this.#waiting.filter(({ event: { event_id: id } }) => id !== eventId));
  }

  /** Those that nobody has been told of and that wait for long; each is named once. */
  async overdue(): Promise<readonly Waiting[]> {
    const now = this.#host.clock.now();
    const due = this.#waiting.filter(({ arrived, told }) => !told && now - arrived > tellAfterMs);
    const kept = this.#waiting.filter(({ arrived }) => now - arrived < forgetAfterMs);
    if (due.length > 0 || kept.length < this.#waiting.length)
      await this.#save(kept.map((each) => (due.includes(each) ? { ...each, told: true } : each)));
    return due;
  }

  async #save(next: readonly Waiting[]): Promise<void> {
    if (next.length === 0 && this.#waiting.length === 0) return;
    await this.#host.notes.set(note, JSON.stringify(next));
    this.#waiting = next;
  }
}
