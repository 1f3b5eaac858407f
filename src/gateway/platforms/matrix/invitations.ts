/** Rooms that the account was asked into: joined as soon as the homeserver lets it, after a restart too. */
import * as z from 'zod';
import { parseJson } from '../../../lib/json.ts';
import type { AdapterHost } from '../../platform/adapter-host.ts';
import { type MatrixApi, path } from './api.ts';
import { ApiError, isRefusal } from './errors.ts';

const note = 'invitations';
const invitation = z.object({
  roomId: z.string(),
  via: z.string().optional(),
  tries: z.number(),
  notBefore: z.number(),
});
const list = z.array(invitation);

type Invitation = z.infer<typeof invitation>;

const maxWaiting = 50;
const maxTries = 12;
const firstPauseMs = 2000;
const longestPauseMs = 3_600_000;

export class Invitations {
  readonly #api: MatrixApi;
  readonly #host: Pick<AdapterHost, 'notes' | 'clock' | 'log'>;
  #waiting: readonly Invitation[] = [];

  constructor(api: MatrixApi, host: Pick<AdapterHost, 'notes' | 'clock' | 'log'>) {
    this.#api = api;
    this.#host = host;
  }

  async load(): Promise<void> {
    this.#waiting = list.safeParse(parseJson((await this.#host.notes.get(note)) ?? '')).data ?? [];
  }

  /** Written down when it resolves: the homeserver tells of an invitation once. `via`: a server that knows the room. */
  async add(roomId: string, via?: string): Promise<void> {
    if (this.#waiting.some((each) => each.roomId === roomId)) return;
    const added = { roomId, tries: 0, notBefore: 0, ...(via === undefined ? {} : { via }) };
    await this.#save([...this.#waiting, added].slice(-maxWaiting));
  }

  /** Tries those whose time has come. */
  async join(signal: AbortSignal): Promise<void> {
    const now = this.#host.clock.now();
    for (const each of this.#waiting.filter(({ notBefore }) => notBefore <= now)) {
      const left = await this.#tried(each, signal);
      const others = this.#waiting.filter(({ roomId }) => roomId !== each.roomId);
      await this.#save(left === undefined ? others : [...others, left]);
    }
  }

  /** What is left to do. */
  async #tried(
    { roomId, via, tries, notBefore: _past }: Invitation,
    signal: AbortSignal,
  ): Promise<Invitation | undefined> {
    const { clock, log } = this.#host;
    try {
      const query = { server_name: via };
      await this.#api.call('POST', path`/client/v3/join/${roomId}`, z.unknown(), { signal, query, body: {} });
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (isRefusal(error) || tries + 1 >= maxTries) {
        log.warning(`the room ${roomId} could not be joined`, error);
        return undefined;
      }
      log.info(`the room ${roomId} could not be joined yet; it is tried again`);
      const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
      const pauseMs = asked ?? Math.min(longestPauseMs, firstPauseMs * 2 ** tries);
      return { roomId, tries: tries + 1, notBefore: clock.now() + pauseMs, ...(via === undefined ? {} : { via }) };
    }
  }

  async #save(next: readonly Invitation[]): Promise<void> {
    await this.#host.notes.set(note, JSON.stringify(next));
    this.#waiting = next;
  }
}
