/** A homeserver of Matrix for tests: the part of the client-server API that a bot needs, in its real wire format. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { freePort } from './free-port.ts';
import { type Device, MatrixKeys, type ToDeviceEvent } from './matrix-keys.ts';

export interface ServerEvent {
  readonly type: string;
  readonly event_id: string;
  readonly sender: string;
  readonly origin_server_ts: number;
  readonly state_key?: string;
  readonly room_id: string;
  content: Record<string, unknown>;
}

interface Placed {
  readonly position: number;
  readonly event: ServerEvent;
}

export interface ServerRoom {
  readonly id: string;
  readonly name: string | undefined;
  readonly members: Map<string, string>;
  readonly timeline: Placed[];
  encrypted: boolean;
}

export type Fault =
  | 'cut'
  | {
      readonly status: number;
      readonly errcode?: string;
      readonly error: string;
      readonly retry_after_ms?: number;
      readonly soft_logout?: boolean;
      readonly session?: string;
      readonly flows?: readonly object[];
    };

interface Asked {
  readonly method: string;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

type Answer = { readonly status: number; readonly body: object | Buffer };

/** The account of the bot. */
export const robot = {
  id: '@robot:example.org',
  name: 'Robot',
  password: 'a password that is long',
  device: 'ROBOTDEV',
};
const longestWaitMs = 30_000;

export class MatrixServer {
  readonly token = 'syt_cm9ib3Q_aVeryLongAccessToken_0123456';
  readonly rooms = new Map<string, ServerRoom>();
  readonly media = new Map<string, Buffer>();
  readonly requests: string[] = [];
  readonly accountData = new Map<string, object>();
  /** The devices that logins asked for. */
  readonly logins: (string | undefined)[] = [];
  readonly typing: { readonly room: string; readonly on: boolean }[] = [];
  readonly redacted = new Set<string>();
  /** Rooms that the bot has joined after an invitation. */
  readonly joined: string[] = [];
  readonly invitations = new Map<string, { readonly sender: string; readonly direct: boolean }>();
  readonly keys = new MatrixKeys((to, event) => this.tell(to, event));
  /** Up to here the bot has said that it has everything. */
  acknowledged = 0;
  readonly #faults: Fault[] = [];
  readonly #refusals: { readonly what: string; readonly fault: Exclude<Fault, 'cut'> }[] = [];
  readonly #transactions = new Map<string, string>();
  readonly #waiting = new Set<() => void>();
  /** What devices were told, by user and device. */
  readonly #told = new Map<string, { readonly position: number; readonly event: ToDeviceEvent }[]>();
  #position = 0;
  #delivered = 0;
  /** What no answer held before the latest login was checked begins behind it. */
  #seen = 0;
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  addRoom(id: string, name: string | undefined, members: Readonly<Record<string, string>>): void {
    const everybody = new Map([...Object.entries(members), [robot.id, robot.name] as const]);
    this.rooms.set(id, { id, name, members: everybody, timeline: [], encrypted: false });
  }

  /** Somebody's device says something to another one. */
  tell({ user, device }: Device, event: ToDeviceEvent): void {
    this.#position += 1;
    const key = `${user} ${device}`;
    this.#told.set(key, [...(this.#told.get(key) ?? []), { position: this.#position, event }]);
    for (const wake of this.#waiting) wake();
  }

  /** What the device was told after this position, which is 0 at the beginning. */
  toldTo({ user, device }: Device, since: number): readonly { position: number; event: ToDeviceEvent }[] {
    return this.#told.get(`${user} ${device}`)?.filter(({ position }) => position > since) ?? [];
  }

  fault(fault: Fault): void {
    this.#faults.push(fault);
  }

  /** The next requests whose path holds these words are answered so. */
  refuse(what: string, fault: Exclude<Fault, 'cut'>, times = 1): void {
    for (let left = times; left > 0; left -= 1) this.#refusals.push({ what, fault });
  }

  /** Somebody's event; an id of its own unless it comes again. */
  happen(roomId: string, event: Omit<ServerEvent, 'event_id' | 'room_id'> & { readonly event_id?: string }): Placed {
    const room = this.rooms.get(roomId);
    if (room === undefined) throw new Error(`no room ${roomId}`);
    this.#position += 1;
    const placed = {
      position: this.#position,
      event: { event_id: `$event-${this.#position}`, room_id: roomId, ...event },
    };
    room.timeline.push(placed);
    for (const wake of this.#waiting) wake();
    return placed;
  }

  invite(roomId: string, sender: string, direct: boolean): void {
    this.#position += 1;
    this.invitations.set(roomId, { sender, direct });
    for (const wake of this.#waiting) wake();
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#serve(request, response));
    this.#port ||= await freePort();
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    this.requests.push(`${request.method} ${url.pathname}`);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
    } catch {
      return;
    }
    const path = url.pathname.split('/').slice(2).map(decodeURIComponent);
    const asked = { method: request.method ?? 'GET', path, query: url.searchParams, body: Buffer.concat(chunks) };
    const open = path.at(-1) === 'login' || request.headers.authorization === `Bearer ${this.token}`;
    const answer = open
      ? await this.#answer(asked, response)
      : refusal(401, 'M_UNKNOWN_TOKEN', 'Invalid access token passed.');
    if (answer === undefined) return void response.destroy();
    const isBytes = Buffer.isBuffer(answer.body);
    response.writeHead(answer.status, { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' });
    response.end(isBytes ? answer.body : JSON.stringify(answer.body));
  }

  async #answer(asked: Asked, response: ServerResponse): Promise<Answer | undefined> {
    const refused = this.#refusals.findIndex(({ what: words }) => asked.path.join('/').includes(words));
    const [wanted] = refused === -1 ? [] : this.#refusals.splice(refused, 1);
    if (wanted !== undefined) return { status: wanted.fault.status, body: wanted.fault };
    const [, , what = '', ...rest] = asked.path;
    if (asked.path[0] === 'media' || what === 'media') return this.#mediaAnswer(asked);
    switch (what) {
      case 'account':
        this.#seen = this.#delivered;
        return ok({ user_id: robot.id, device_id: robot.device });
      case 'login':
        return this.#login(asked);
      case 'profile':
        return ok({ displayname: robot.name });
      case 'sync':
        return ok(await this.#sync(asked.query, response));
      case 'user':
        return this.#accountData(asked, rest);
      case 'room_keys':
        return asked.method === 'POST'
          ? ok({ version: '1' })
          : refusal(404, 'M_NOT_FOUND', 'No current backup version');
      case 'joined_rooms':
        return ok({ joined_rooms: [...this.rooms.keys()] });
      case 'keys':
      case 'sendToDevice': {
        const me = { user: robot.id, device: robot.device };
        return ok(this.keys.answer(me, asked.path.slice(2), asked.body.toString()));
      }
      case 'join':
        this.joined.push(rest[0] ?? '');
        this.invitations.delete(rest[0] ?? '');
        return ok({ room_id: rest[0] });
      case 'rooms':
        return this.#room(asked, rest);
      default:
        return refusal(404, 'M_UNRECOGNIZED', 'Unrecognized request');
    }
  }

  #login({ body }: Asked): Answer {
    const { identifier, password, device_id } = JSON.parse(body.toString()) as {
      identifier: { user: string };
      password: string;
      device_id?: string;
    };
    this.logins.push(device_id);
    if (identifier.user !== robot.id || password !== robot.password)
      return refusal(403, 'M_FORBIDDEN', 'Invalid username or password');
    return ok({ user_id: robot.id, device_id: robot.device, access_token: this.token });
  }

  #accountData({ method, body }: Asked, [, , name = '']: readonly string[]): Answer {
    const known = this.accountData.get(name);
    if (method === 'GET')
      return known === undefined ? refusal(404, 'M_NOT_FOUND', 'Account data not found') : ok(known);
    this.accountData.set(name, JSON.parse(body.toString()) as object);
    return ok({});
  }

  #room({ method, query, body }: Asked, [roomId = '', what = '', ...rest]: readonly string[]): Answer | undefined {
    const room = this.rooms.get(roomId);
    if (room === undefined) return refusal(403, 'M_FORBIDDEN', `User ${robot.id} not in room ${roomId}`);
    switch (what) {
      case 'joined_members':
        return ok({ joined: Object.fromEntries([...room.members].map(([id, name]) => [id, { display_name: name }])) });
      case 'state':
        if (rest[0] === 'm.room.encryption' && room.encrypted) return ok({ algorithm: 'm.megolm.v1.aes-sha2' });
        return rest[0] === 'm.room.name' && room.name !== undefined
          ? ok({ name: room.name })
          : refusal(404, 'M_NOT_FOUND', 'Event not found.');
      case 'typing':
        this.typing.push({ room: roomId, on: (JSON.parse(body.toString()) as { typing: boolean }).typing });
        return ok({});
      case 'receipt':
        return ok({});
      case 'messages':
        return ok(this.#messages(room, query));
      case 'event': {
        const found = room.timeline.find(({ event }) => event.event_id === rest[0]);
        return found === undefined ? refusal(404, 'M_NOT_FOUND', 'Event not found.') : ok(found.event);
      }
      case 'redact':
        this.redacted.add(rest[0] ?? '');
        return ok({ event_id: `$redaction-${rest[0]}` });
      case 'send':
        return method === 'PUT' ? this.#send(roomId, rest, body) : undefined;
      default:
        return refusal(404, 'M_UNRECOGNIZED', 'Unrecognized request');
    }
  }

  /** The same transaction is the same event. */
  #send(roomId: string, [type = '', transaction = '']: readonly string[], body: Buffer): Answer | undefined {
    const fault = this.#faults.shift();
    if (fault !== undefined && fault !== 'cut') return { status: fault.status, body: fault };
    if (body.length > 65_536) return refusal(413, 'M_TOO_LARGE', 'event too large');
    const known = this.#transactions.get(transaction);
    const content = JSON.parse(body.toString()) as Record<string, unknown>;
    const id =
      known ?? this.happen(roomId, { type, sender: robot.id, origin_server_ts: Date.now(), content }).event.event_id;
    this.#transactions.set(transaction, id);
    return fault === 'cut' ? undefined : ok({ event_id: id });
  }

  #mediaAnswer({ method, path, body }: Asked): Answer | undefined {
    if (method === 'GET') {
      const bytes = this.media.get(path.at(-1) ?? '');
      return bytes === undefined ? refusal(404, 'M_NOT_FOUND', 'Not found') : { status: 200, body: bytes };
    }
    const fault = this.#faults.shift();
    if (fault === 'cut') return undefined;
    if (fault !== undefined) return { status: fault.status, body: fault };
    return ok({ content_uri: this.keep(body) });
  }

  keep(bytes: Uint8Array): string {
    const id = `media${this.media.size + 1}`;
    this.media.set(id, Buffer.from(bytes));
    return `mxc://example.org/${id}`;
  }

  #messages({ timeline }: ServerRoom, query: URLSearchParams): object {
    const [from, to] = [positionOf(query.get('from')), positionOf(query.get('to'))];
    const before = timeline.filter(({ position }) => position < from && position > to).toReversed();
    const page = before.slice(0, Number(query.get('limit') ?? 10));
    const last = page.at(-1);
    return {
      chunk: page.map(({ event }) => event),
      start: query.get('from'),
      ...(last === undefined ? {} : { end: `s${last.position}` }),
    };
  }

  /**
   * Without `since` an answer holds what no adapter before has got. A real one holds the latest of everything, but
   * adapters of one test that keep nothing would see the past of each other.
   */
  async #sync(query: URLSearchParams, response: ServerResponse): Promise<object> {
    const given = query.get('since');
    const since = given === null ? this.#seen : positionOf(given);
    if (given !== null) this.acknowledged = Math.max(this.acknowledged, since);
    if (this.#position <= since && given !== null) await this.#news(Number(query.get('timeout') ?? 0), response);
    const limit =
      (JSON.parse(query.get('filter') ?? '{}') as { room?: { timeline?: { limit?: number } } }).room?.timeline?.limit ??
      10;
    const join: Record<string, object> = {};
    const freshIn = ({ timeline }: ServerRoom) => timeline.filter(({ position }) => position > since);
    // Order is promised within a room only; the suite knows that all was said when the last word in any room has come.
    const first = (room: ServerRoom): number => freshIn(room)[0]?.position ?? 0;
    for (const room of [...this.rooms.values()].toSorted((a, b) => first(a) - first(b))) {
      const fresh = freshIn(room);
      const shown = fresh.slice(-limit);
      if (shown.length === 0) continue;
      const limited = shown.length < fresh.length;
      join[room.id] = {
        timeline: { events: shown.map(({ event }) => event), limited, prev_batch: `s${shown[0]?.position}` },
        state: { events: [] },
      };
    }
    if (!response.destroyed) this.#delivered = this.#position;
    const invite = Object.fromEntries(
      [...this.invitations].map(([id, { sender, direct }]) => [
        id,
        { invite_state: { events: [invitation(sender, direct)] } },
      ]),
    );
    return {
      next_batch: `s${this.#position}`,
      rooms: { join, invite },
      to_device: {
        events: this.toldTo({ user: robot.id, device: robot.device }, since).map(({ event }) => event),
      },
      device_one_time_keys_count: { signed_curve25519: 50 },
    };
  }

  async #news(timeoutMs: number, response: ServerResponse): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(timeoutMs, longestWaitMs));
      this.#waiting.add(done);
      response.once('close', done);
    });
  }
}

function invitation(sender: string, direct: boolean): object {
  return { type: 'm.room.member', sender, state_key: robot.id, content: { membership: 'invite', is_direct: direct } };
}

function positionOf(token: string | null): number {
  return Number(token?.slice(1) ?? 0);
}

function ok(body: object): Answer {
  return { status: 200, body };
}

function refusal(status: number, errcode: string, error: string): Answer {
  return { status, body: { errcode, error } };
}
