/** What is known of rooms: from the state that arrives, and asked for where it was not told. */
import * as z from 'zod';
import type { AdapterHost } from '../../platform/adapter-host.ts';
import { type MatrixApi, path } from './api.ts';
import { ApiError } from './errors.ts';
import * as wire from './wire.ts';

export interface Member {
  readonly id: string;
  readonly name: string;
}

interface Known<T> {
  readonly value: T;
  readonly until: number;
}

interface Room {
  members?: Known<readonly Member[]>;
  name?: Known<string | undefined>;
  /** Once encrypted, always encrypted. */
  encryption?: Known<wire.RoomEncryption | undefined>;
}

const maxRooms = 5000;
/** Rooms that are looked into for a private chat. */
const maxLookedInto = 200;
const lookMs = 60_000;
const joinedRooms = z.object({ joined_rooms: z.array(z.string()) });
/** People see no more of a name anywhere. */
const maxName = 255;

export class Rooms {
  readonly #api: MatrixApi;
  readonly #clock: AdapterHost['clock'];
  readonly #ttlMs: number;
  readonly #rooms = new Map<string, Room>();
  #direct: ReadonlySet<string> | undefined;

  constructor(api: MatrixApi, clock: AdapterHost['clock'], ttlMs: number) {
    this.#api = api;
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  /** State that arrived. */
  learn(roomId: string, { type, state_key: key, content }: wire.MatrixEvent): void {
    if (key === undefined) return;
    const room = this.#room(roomId);
    if (type === 'm.room.member') delete room.members;
    if (type === 'm.room.name' || type === 'm.room.canonical_alias') delete room.name;
    if (type !== 'm.room.encryption') return;
    const { data } = wire.encryption.safeParse(content);
    if (data !== undefined) room.encryption = { value: data, until: Infinity };
  }

  /** `m.direct`: the rooms that the account itself calls private chats. */
  learnDirect(content: unknown): void {
    const { data } = wire.directRooms.safeParse(content);
    if (data !== undefined) this.#direct = new Set(Object.values(data).flat());
  }

  /** Two people alone, or what the account calls a private chat. */
  async isDirect(roomId: string, signal: AbortSignal): Promise<boolean> {
    return this.#direct?.has(roomId) === true || (await this.members(roomId, signal)).length <= 2;
  }

  /** An encrypted room in which the two are alone. */
  async sealedWith(userId: string, given: AbortSignal): Promise<string | undefined> {
    const signal = AbortSignal.any([given, AbortSignal.timeout(lookMs)]);
    const { joined_rooms: ids } = await this.#api.call('GET', '/client/v3/joined_rooms', joinedRooms, { signal });
    for (const id of ids.slice(-maxLookedInto)) {
      const members = await this.members(id, signal);
      if (members.length !== 2 || !members.some((member) => member.id === userId)) continue;
      if ((await this.encryption(id, signal)) !== undefined) return id;
    }
    return undefined;
  }

  async members(roomId: string, signal: AbortSignal): Promise<readonly Member[]> {
    const room = this.#room(roomId);
    const known = this.#current(room.members);
    if (known !== undefined) return known.value;
    const where = path`/client/v3/rooms/${roomId}/joined_members`;
    const { joined } = await this.#api.call('GET', where, wire.members, { signal });
    const value = Object.entries(joined).map(([id, { display_name: name }]) => ({ id, name: shortName(name) ?? id }));
    room.members = { value, until: this.#until() };
    return value;
  }

  async name(roomId: string, signal: AbortSignal): Promise<string | undefined> {
    const room = this.#room(roomId);
    const known = this.#current(room.name);
    if (known !== undefined) return known.value;
    const told = await this.#state(roomId, 'm.room.name', wire.roomName, signal);
    const value = shortName(told?.name);
    room.name = { value, until: this.#until() };
    return value;
  }

  /** Undefined for a room without encryption. */
  async encryption(roomId: string, signal: AbortSignal): Promise<wire.RoomEncryption | undefined> {
    const room = this.#room(roomId);
    const known = this.#current(room.encryption);
    if (known !== undefined) return known.value;
    const value = await this.#state(roomId, 'm.room.encryption', wire.encryption, signal);
    room.encryption = { value, until: value === undefined ? this.#until() : Infinity };
    return value;
  }

  async #state<T>(roomId: string, type: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T | undefined> {
    try {
      return await this.#api.call('GET', path`/client/v3/rooms/${roomId}/state/${type}`, schema, { signal });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'M_NOT_FOUND') return undefined;
      throw error;
    }
  }

  #room(roomId: string): Room {
    const room = this.#rooms.get(roomId) ?? {};
    this.#rooms.delete(roomId);
    const oldest = this.#rooms.size >= maxRooms ? this.#rooms.keys().next().value : undefined;
    if (oldest !== undefined) this.#rooms.delete(oldest);
    this.#rooms.set(roomId, room);
    return room;
  }

  #current<T>(known: Known<T> | undefined): Known<T> | undefined {
    return known !== undefined && known.until > this.#clock.now() ? known : undefined;
  }

  #until(): number {
    return this.#clock.now() + this.#ttlMs;
  }
}

function shortName(name: string | null | undefined): string | undefined {
  return name?.slice(0, maxName).toWellFormed().trim() || undefined;
}
