/** Matrix for the suite of adapters: a private chat, two rooms, a thread, two people and another bot. */
import type { ChatAddress } from '../../src/gateway/platform/adapter.ts';
import { platform } from '../../src/gateway/platforms/matrix/matrix.ts';
import type {
  FakePlatform,
  FakeWritten,
  Person,
  PlatformUnderTest,
  ShownMessage,
  Trouble,
} from '../gateway/fake-platform.ts';
import { type Fault, MatrixServer, robot, type ServerEvent } from './matrix-server.ts';

export const matrix: PlatformUnderTest = { platform, open: async () => await FakeMatrix.open() };

const people: Readonly<Record<Person | 'self', string>> = {
  friend: '@fred:example.org',
  stranger: '@sue:example.org',
  bot: '@weather:example.org',
  self: robot.id,
};

const faults: Readonly<Record<Exclude<Trouble['as'], 'rate_limited'>, Fault>> = {
  server_error: { status: 500, errcode: 'M_UNKNOWN', error: 'Internal server error' },
  bad_format: { status: 400, errcode: 'M_BAD_JSON', error: 'Content not JSON.' },
  forbidden: { status: 403, errcode: 'M_FORBIDDEN', error: 'User is not allowed to send here' },
  not_found: { status: 404, errcode: 'M_NOT_FOUND', error: 'Unknown room' },
  cut_after: 'cut',
};

interface Relation {
  readonly rel_type?: string;
  readonly event_id?: string;
  readonly key?: string;
  readonly is_falling_back?: boolean;
  readonly 'm.in_reply_to'?: { readonly event_id: string };
}

class FakeMatrix implements FakePlatform {
  readonly server: MatrixServer;
  readonly places: { dm: ChatAddress; group: ChatAddress; otherGroup: ChatAddress; thread: ChatAddress };
  readonly keys = {
    requireMention: 'require_mention',
    freeChats: 'free_response_rooms',
    allowedChats: 'allowed_rooms',
    mentionPatterns: 'mention_patterns',
  };
  readonly block = { e2ee_mode: 'off' };
  readonly wrongVariables = { MATRIX_ACCESS_TOKEN: 'syt_wrong_anotherAccessToken_98765' };
  readonly #positions = new Map<string, number>();

  static async open(): Promise<FakeMatrix> {
    const server = new MatrixServer();
    await server.start();
    return new FakeMatrix(server);
  }

  private constructor(server: MatrixServer) {
    this.server = server;
    const { friend, stranger, bot } = people;
    server.addRoom('!dm:example.org', undefined, { [friend]: 'Fred' });
    server.addRoom('!group:example.org', 'Friends', { [friend]: 'Fred', [stranger]: 'Sue', [bot]: 'Weather' });
    server.addRoom('!other:example.org', 'Others', { [friend]: 'Fred', [stranger]: 'Sue' });
    const content = { msgtype: 'm.text', body: 'Plans' };
    const root = server.happen('!group:example.org', {
      type: 'm.room.message',
      sender: friend,
      origin_server_ts: 1,
      content,
    });
    const at = (chatId: string, threadId: string | null = null) => ({ chatId, threadId });
    this.places = {
      dm: at('!dm:example.org'),
      group: at('!group:example.org'),
      otherGroup: at('!other:example.org'),
      thread: at('!group:example.org', root.event.event_id),
    };
  }

  get variables() {
    return { MATRIX_HOMESERVER: this.server.url, MATRIX_ACCESS_TOKEN: this.server.token, MATRIX_AUTO_THREAD: 'false' };
  }

  get secrets() {
    return [this.server.token, this.wrongVariables.MATRIX_ACCESS_TOKEN];
  }

  get requests(): number {
    // Who waits for news asks again whenever there are some, those of the bot itself too.
    return this.server.requests.filter((request) => !request.endsWith('/sync')).length;
  }

  async write({ in: place, from = 'friend', text, mention = false, replyTo, file }: FakeWritten): Promise<string> {
    const relation: Relation = {
      ...(place.threadId === null ? {} : { rel_type: 'm.thread', event_id: place.threadId, is_falling_back: true }),
      ...(replyTo === undefined ? {} : { is_falling_back: false, 'm.in_reply_to': { event_id: replyTo } }),
    };
    const content = {
      msgtype: from === 'bot' ? 'm.notice' : 'm.text',
      body: mention ? `${robot.name}: ${text}` : text,
      ...(mention ? { 'm.mentions': { user_ids: [robot.id] } } : { 'm.mentions': {} }),
      ...(Object.keys(relation).length === 0 ? {} : { 'm.relates_to': relation }),
      ...this.#mediaOf(file),
    };
    const placed = this.server.happen(place.chatId, {
      type: 'm.room.message',
      sender: people[from],
      origin_server_ts: Date.now(),
      content,
    });
    this.#positions.set(placed.event.event_id, placed.position);
    return placed.event.event_id;
  }

  async repeat(messageId: string): Promise<void> {
    const event = this.#events().find(({ event_id: id }) => id === messageId);
    if (event !== undefined) this.server.happen(event.room_id, event);
  }

  isAcknowledged(messageId: string): boolean {
    return this.server.acknowledged >= (this.#positions.get(messageId) ?? Infinity);
  }

  shown({ chatId, threadId }: ChatAddress): readonly ShownMessage[] {
    const own = this.#events().filter(
      ({ sender, event_id: id, room_id: room }) =>
        sender === robot.id && room === chatId && !this.server.redacted.has(id),
    );
    return own.flatMap((event) => {
      const relation = relationOf(event);
      const thread = relation.rel_type === 'm.thread' ? (relation.event_id ?? null) : null;
      if (event.type !== 'm.room.message' || relation.rel_type === 'm.replace' || thread !== threadId) return [];
      const edit = own.findLast(
        (each) => relationOf(each).rel_type === 'm.replace' && relationOf(each).event_id === event.event_id,
      );
      const content = (edit?.content['m.new_content'] ?? event.content) as Record<string, unknown>;
      return [this.#shownAs(event, content, own)];
    });
  }

  typed({ chatId }: ChatAddress): number {
    return this.server.typing.filter(({ room, on }) => room === chatId && on).length;
  }

  trouble(trouble: Trouble): void {
    if (trouble.as !== 'rate_limited') return this.server.fault(faults[trouble.as]);
    const retry_after_ms = trouble.seconds * 1000;
    this.server.fault({ status: 429, errcode: 'M_LIMIT_EXCEEDED', error: 'Too Many Requests', retry_after_ms });
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  async start(): Promise<void> {
    await this.server.start();
  }

  async press(messageId: string, label: string, by: Person): Promise<string | undefined> {
    const message = this.#events().find(({ event_id: id }) => id === messageId);
    const line = String(message?.content['body'])
      .split('\n')
      .find((each) => each.endsWith(` ${label}`));
    if (message === undefined || line === undefined) throw new Error(`no option ${label}`);
    const content = { 'm.relates_to': { rel_type: 'm.annotation', event_id: messageId, key: line.split(' ')[0] } };
    const { position } = this.server.happen(message.room_id, {
      type: 'm.reaction',
      sender: people[by],
      origin_server_ts: Date.now(),
      content,
    });
    for (let tries = 0; this.server.acknowledged < position; tries += 1) {
      if (tries > 1000) throw new Error('the reaction was not read');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  #events(): readonly ServerEvent[] {
    return [...this.server.rooms.values()].flatMap(({ timeline }) => timeline.map(({ event }) => event));
  }

  #shownAs(event: ServerEvent, content: Record<string, unknown>, own: readonly ServerEvent[]): ShownMessage {
    const body = String(content['body']);
    const html = content['formatted_body'];
    const relation = relationOf(event);
    const replyTo = relation.is_falling_back === true ? undefined : relation['m.in_reply_to']?.event_id;
    const seeds = own
      .filter((each) => each.type === 'm.reaction' && relationOf(each).event_id === event.event_id)
      .map((each) => relationOf(each).key);
    const { url, filename } = content;
    const text = typeof html === 'string' ? wordsOf(html) : filename === body ? '' : body;
    const bytes = typeof url === 'string' ? this.server.media.get(url.split('/').at(-1) ?? '') : undefined;
    return {
      id: event.event_id,
      text,
      raw: typeof html === 'string' ? html : body,
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(bytes === undefined ? {} : { file: { name: String(filename), bytes } }),
      buttons: text
        .split('\n')
        .flatMap((line) => (seeds.includes(line.split(' ')[0]) ? [line.slice(line.indexOf(' ') + 1)] : [])),
    };
  }

  #mediaOf(file: FakeWritten['file']): Record<string, unknown> {
    if (file === undefined) return {};
    const msgtype = {
      image: 'm.image',
      audio: 'm.audio',
      voice: 'm.audio',
      video: 'm.video',
      document: 'm.file',
      sticker: 'm.image',
    }[file.kind];
    return {
      msgtype,
      url: this.server.keep(file.bytes),
      filename: file.name,
      info: { mimetype: file.mime, size: file.bytes.length },
      ...(file.kind === 'voice' ? { 'org.matrix.msc3245.voice': {} } : {}),
    };
  }
}

function relationOf({ content }: ServerEvent): Relation {
  return (content['m.relates_to'] as Relation | undefined) ?? {};
}

function wordsOf(html: string): string {
  return html
    .replaceAll(/<br\s*\/?>\n?/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
