/** The events of a room between two answers, with those that the homeserver left out because they are many. */
import type * as z from 'zod';
import type { AdapterHost } from '../../platform/adapter-host.ts';
import { type MatrixApi, path } from './api.ts';
import { ApiError, isRefusal } from './errors.ts';
import { Recent } from './recent.ts';
import * as wire from './wire.ts';

export interface TimelineOptions {
  readonly api: MatrixApi;
  readonly host: Pick<AdapterHost, 'log'>;
  /** True for a page that reaches into what happened before the bot was there. */
  readonly isPast: (events: readonly wire.MatrixEvent[]) => boolean;
  readonly signal: AbortSignal;
}

type Timeline = wire.SyncAnswer['rooms']['join'][string]['timeline'];

const pageSize = '100';
const maxPages = 50;
/** A room whose past the homeserver cannot give any more must not hold up all others for ever. */
const maxFailures = 5;
const maxRooms = 200;

export class Timelines {
  readonly #options: TimelineOptions;
  readonly #failures = new Recent<number>(maxRooms);

  constructor(options: TimelineOptions) {
    this.#options = options;
  }

  /** Rejects when the homeserver may give the missing ones later. */
  async whole(
    roomId: string,
    { events, limited, prev_batch: before }: Timeline,
    since: string | undefined,
  ): Promise<readonly wire.MatrixEvent[]> {
    const shown = readable(events);
    if (!limited || before === undefined || this.#isPast(shown, since)) return shown;
    const gap = `${roomId} ${before}`;
    try {
      const missing = await this.#missing(roomId, before, since);
      this.#failures.delete(gap);
      return [...missing, ...shown];
    } catch (error) {
      this.#options.signal.throwIfAborted();
      const failures = (this.#failures.get(gap) ?? 0) + 1;
      this.#failures.set(gap, failures);
      const lasts = isRefusal(error) || (error instanceof ApiError && failures >= maxFailures);
      if (!lasts) throw error;
      this.#options.host.log.warning(`what was written in ${roomId} during the interruption cannot be read`, error);
      return shown;
    }
  }

  /** The oldest first. */
  async #missing(roomId: string, before: string, since: string | undefined): Promise<readonly wire.MatrixEvent[]> {
    const { api, host, signal } = this.#options;
    const missing: wire.MatrixEvent[] = [];
    let from: string | undefined = before;
    for (let page = 0; from !== undefined && page < maxPages; page += 1) {
      const query: Record<string, string | undefined> = { dir: 'b', from, to: since, limit: pageSize };
      const where = path`/client/v3/rooms/${roomId}/messages`;
      const found: z.infer<typeof wire.messages> = await api.call('GET', where, wire.messages, { signal, query });
      const events = readable(found.chunk);
      missing.push(...events);
      from = found.chunk.length === 0 || this.#isPast(events, since) ? undefined : found.end;
    }
    if (from !== undefined)
      host.log.warning(`more was written in ${roomId} than can be read after the interruption; the oldest is left out`);
    return missing.toReversed();
  }

  /** At the first start everything before it is past. */
  #isPast(events: readonly wire.MatrixEvent[], since: string | undefined): boolean {
    return since === undefined && this.#options.isPast(events);
  }
}

/** Those that can be read; Matrix lets anybody send anything. */
export function readable(events: readonly unknown[]): readonly wire.MatrixEvent[] {
  return events.flatMap((given) => wire.event.safeParse(given).data ?? []);
}
