/** The chats of a fake Telegram: what stands in them, and what the Bot API does to it or refuses to do. */
import { type Entity, MarkupError, parseMarkdownV2 } from './telegram-markup.ts';

export interface Upload {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Arguments as they came, values of forms being text; `upload` is the file of a form. */
export interface Call {
  readonly args: Readonly<Record<string, unknown>>;
  readonly uploads: Readonly<Record<string, Upload>>;
}

export interface ApiMessage {
  readonly message_id: number;
  readonly chat: ApiChat;
  readonly message_thread_id?: number;
  readonly is_topic_message?: true;
  readonly from: ApiUser;
  readonly date: number;
  text: string;
  raw: string;
  entities: readonly Entity[];
  readonly reply_to?: number;
  readonly file?: Upload & { readonly field: string };
  keyboard: readonly (readonly Button[])[];
  readonly silent: boolean;
  readonly media_group_id?: string;
}

interface Button {
  readonly text: string;
  readonly callback_data: string;
}

export interface ApiUser {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly username?: string;
}

export interface ApiChat {
  readonly id: number;
  readonly type: 'private' | 'group' | 'supergroup' | 'channel';
  readonly title?: string;
  readonly first_name?: string;
  readonly is_forum?: true;
}

/** Becomes `{ok: false, error_code, description, parameters}`. */
export class Refusal extends Error {
  readonly status: number;
  readonly parameters: Readonly<Record<string, number>>;

  constructor(status: number, description: string, parameters: Readonly<Record<string, number>> = {}) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

export const robot: ApiUser = { id: 900, is_bot: true, first_name: 'Robot', username: 'fake_robot_bot' };

const maxText = 4096;
const maxRich = 32_768;
const maxCaption = 1024;
const maxUpload = 50 * 1024 * 1024;
const emojis = new Set('👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 👀 ⚡ 🏆 💯 🤝 🫡 🤗'.split(' '));

export class TelegramChats {
  readonly chats = new Map<number, ApiChat>();
  /** Topics of a chat by their ids. */
  readonly topics = new Map<number, Map<number, string>>();
  readonly messages = new Map<number, ApiMessage[]>();
  /** Chats that the bot may not write to. */
  readonly closed = new Set<number>();
  /** A group that became another one. */
  readonly moved = new Map<number, number>();
  readonly actions: { readonly chat: number; readonly thread: number | undefined; readonly action: string }[] = [];
  readonly reactions = new Map<string, string | undefined>();
  readonly drafts: { readonly chat: number; readonly id: number; readonly text: string }[] = [];
  readonly commands: { readonly command: string; readonly description: string }[] = [];
  /** What was sent to be laid out by Telegram itself. */
  readonly rich: string[] = [];
  shortDescription = '';
  /** What the owner of the bot has set at @BotFather; `getMe` tells it. */
  privateTopics = { has_topics_enabled: false, allows_users_to_create_topics: false };
  #nextId = 100;

  add(chat: ApiChat, topics: Readonly<Record<number, string>> = {}): void {
    this.chats.set(chat.id, chat);
    this.topics.set(chat.id, new Map(Object.entries(topics).map(([id, name]) => [Number(id), name])));
    this.messages.set(chat.id, []);
  }

  nextId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  put(message: ApiMessage): ApiMessage {
    this.messages.get(message.chat.id)?.push(message);
    return message;
  }

  find(chat: number, id: number): ApiMessage | undefined {
    return this.messages.get(chat)?.find(({ message_id }) => message_id === id);
  }

  /** Undefined for a method that this fake does not know. */
  handle(method: string, { args, uploads }: Call): unknown {
    const media = /^send(Photo|Animation|Voice|Audio|Video|Document)$/.exec(method)?.[1]?.toLowerCase();
    if (media !== undefined) return wireOf(this.#send(args, this.#uploaded(media, args, uploads)));
    switch (method) {
      case 'sendMediaGroup':
        return this.#sendGroup(args, uploads).map(wireOf);
      case 'sendRichMessage':
        return wireOf(this.#send({ ...args, text: this.#richText(args) }, undefined, maxRich));
      case 'sendRichMessageDraft':
        return this.#draft({ ...args, text: this.#richText(args) }, maxRich);
      case 'sendMessage':
        return wireOf(this.#send(args, undefined));
      case 'editMessageText':
        return wireOf(this.#edit(args));
      case 'editMessageReplyMarkup':
        return wireOf(this.#editKeyboard(args));
      case 'deleteMessage':
        return this.#remove(args);
      case 'getChat':
        return this.#chat(args);
      case 'sendChatAction':
        this.actions.push({
          chat: this.#chat(args).id,
          thread: numberOf(args['message_thread_id']),
          action: textOf(args['action']),
        });
        return true;
      case 'setMessageReaction':
        return this.#react(args);
      case 'sendMessageDraft':
        return this.#draft(args);
      case 'createForumTopic':
        return this.#createTopic(args);
      case 'editForumTopic':
        return this.#editTopic(args);
      case 'setMyCommands':
        return this.#setCommands(args);
      case 'setMyShortDescription':
        this.shortDescription = textOf(args['short_description']);
        if (this.shortDescription.length > 120) throw new Refusal(400, 'Bad Request: SHORT_DESCRIPTION_TOO_LONG');
        return true;
      default:
        return undefined;
    }
  }

  #chat(args: Call['args']): ApiChat {
    const id = Number(args['chat_id']);
    const movedTo = this.moved.get(id);
    if (movedTo !== undefined)
      throw new Refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: movedTo,
      });
    const chat = this.chats.get(id);
    if (chat === undefined) throw new Refusal(400, 'Bad Request: chat not found');
    if (this.closed.has(id)) throw new Refusal(403, 'Forbidden: bot was blocked by the user');
    return chat;
  }

  #richText(args: Call['args']): string {
    const text = textOf(objectOf(args['rich_message'])['markdown']);
    if (text.includes('<refused>')) throw new Refusal(400, 'Bad Request: RICH_MESSAGE_INVALID');
    this.rich.push(text);
    return text;
  }

  #send(args: Call['args'], file: ApiMessage['file'], most = maxText): ApiMessage {
    const chat = this.#chat(args);
    const thread = numberOf(args['message_thread_id']);
    if (thread !== undefined && this.topics.get(chat.id)?.has(thread) !== true)
      throw new Refusal(400, 'Bad Request: message thread not found');
    const reply = objectOf(args['reply_parameters']);
    const replyTo = numberOf(reply['message_id']);
    const quoted = replyTo === undefined ? undefined : this.find(chat.id, replyTo);
    if (replyTo !== undefined && quoted === undefined && reply['allow_sending_without_reply'] !== true)
      throw new Refusal(400, 'Bad Request: message to be replied not found');
    const raw = textOf(args[file === undefined ? 'text' : 'caption']);
    return this.put({
      message_id: this.nextId(),
      chat,
      ...(thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true as const }),
      from: robot,
      date: Math.floor(Date.now() / 1000),
      ...read(raw, args['parse_mode'], file !== undefined, most),
      raw,
      ...(quoted === undefined ? {} : { reply_to: quoted.message_id }),
      ...(file === undefined ? {} : { file }),
      keyboard: keyboardOf(args['reply_markup']),
      ...(args['media_group_id'] === undefined ? {} : { media_group_id: textOf(args['media_group_id']) }),
      silent: args['disable_notification'] === true || args['disable_notification'] === 'true',
    });
  }

  /** Nothing of it is sent when one of them is refused. */
  #sendGroup(args: Call['args'], uploads: Call['uploads']): ApiMessage[] {
    const given: unknown = typeof args['media'] === 'string' ? JSON.parse(args['media']) : args['media'];
    const media = Array.isArray(given) ? given.map(objectOf) : [];
    if (media.length < 2 || media.length > 10)
      throw new Refusal(400, 'Bad Request: wrong number of items in the album');
    const group = String(this.nextId());
    const files = media.map((one) => {
      if (one['type'] !== 'photo') throw new Refusal(400, 'Bad Request: this fake has albums of photos only');
      read(textOf(one['caption']), one['parse_mode'], true, maxText);
      return this.#uploaded('photo', { photo: one['media'] }, uploads);
    });
    return media.map((one, index) => this.#send({ ...args, ...one, media_group_id: group }, files[index]));
  }

  #uploaded(field: string, args: Call['args'], uploads: Call['uploads']): NonNullable<ApiMessage['file']> {
    const name = /^attach:\/\/(.+)$/.exec(textOf(args[field]))?.[1] ?? field;
    const upload = uploads[name];
    if (upload === undefined) throw new Refusal(400, `Bad Request: there is no ${field} in the request`);
    if (upload.bytes.length === 0) throw new Refusal(400, 'Bad Request: file must be non-empty');
    if (upload.bytes.length > maxUpload) throw new Refusal(413, 'Request Entity Too Large');
    if (field === 'photo' && !/\.(?:png|jpe?g|webp|bmp)$/i.test(upload.name))
      throw new Refusal(400, 'Bad Request: IMAGE_PROCESS_FAILED');
    return { ...upload, field };
  }

  #edit(args: Call['args']): ApiMessage {
    const message = this.find(this.#chat(args).id, Number(args['message_id']));
    if (message === undefined) throw new Refusal(400, 'Bad Request: message to edit not found');
    if (message.from.id !== robot.id) throw new Refusal(400, "Bad Request: message can't be edited");
    const isRich = args['rich_message'] !== undefined;
    const raw = isRich ? this.#richText(args) : textOf(args['text']);
    const next = read(raw, args['parse_mode'], false, isRich ? maxRich : maxText);
    const keyboard = keyboardOf(args['reply_markup']);
    if (
      JSON.stringify([next, keyboard]) ===
      JSON.stringify([{ text: message.text, entities: message.entities }, message.keyboard])
    )
      throw new Refusal(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      );
    return Object.assign(message, next, { raw, keyboard });
  }

  #editKeyboard(args: Call['args']): ApiMessage {
    const message = this.find(this.#chat(args).id, Number(args['message_id']));
    if (message === undefined) throw new Refusal(400, 'Bad Request: message to edit not found');
    return Object.assign(message, { keyboard: keyboardOf(args['reply_markup']) });
  }

  #remove(args: Call['args']): true {
    const chat = this.#chat(args).id;
    const id = Number(args['message_id']);
    if (this.find(chat, id) === undefined) throw new Refusal(400, 'Bad Request: message to delete not found');
    this.messages.set(
      chat,
      (this.messages.get(chat) ?? []).filter(({ message_id }) => message_id !== id),
    );
    return true;
  }

  #react(args: Call['args']): true {
    const chat = this.#chat(args).id;
    const id = Number(args['message_id']);
    if (this.find(chat, id) === undefined) throw new Refusal(400, 'Bad Request: message to react not found');
    const reactions = Array.isArray(args['reaction']) ? args['reaction'] : [];
    const emoji: unknown = objectOf(reactions[0])['emoji'];
    if (emoji !== undefined && !emojis.has(textOf(emoji))) throw new Refusal(400, 'Bad Request: REACTION_INVALID');
    this.reactions.set(`${chat}:${id}`, emoji === undefined ? undefined : textOf(emoji));
    return true;
  }

  #draft(args: Call['args'], most = maxText): true {
    const chat = this.#chat(args);
    if (chat.type !== 'private') throw new Refusal(400, 'Bad Request: TEXTDRAFT_PEER_INVALID');
    const id = Number(args['draft_id']);
    if (!Number.isInteger(id) || id === 0) throw new Refusal(400, 'Bad Request: draft_id must be non-zero');
    const text = textOf(args['text']);
    if (text.length > most) throw new Refusal(400, 'Bad Request: message is too long');
    this.drafts.push({ chat: chat.id, id, text });
    return true;
  }

  #createTopic(args: Call['args']): unknown {
    const chat = this.#chat(args);
    this.#refuseWithoutTopics(chat);
    const name = nameOf(args);
    const id = this.nextId();
    this.topics.get(chat.id)?.set(id, name);
    return { message_thread_id: id, name, icon_color: 7322096 };
  }

  #editTopic(args: Call['args']): true {
    const chat = this.#chat(args);
    this.#refuseWithoutTopics(chat);
    const thread = Number(args['message_thread_id']);
    const topics = this.topics.get(chat.id);
    if (topics?.has(thread) !== true) throw new Refusal(400, 'Bad Request: TOPIC_ID_INVALID');
    const name = nameOf(args);
    if (topics.get(thread) === name) throw new Refusal(400, 'Bad Request: TOPIC_NOT_MODIFIED');
    topics.set(thread, name);
    return true;
  }

  /** Private chats have topics where the owner of the bot wants them. */
  #refuseWithoutTopics({ type, is_forum: isForum }: ApiChat): void {
    const has = type === 'private' ? this.privateTopics.has_topics_enabled : isForum === true;
    if (!has) throw new Refusal(400, 'Bad Request: the chat is not a forum');
  }

  #setCommands(args: Call['args']): true {
    const commands = Array.isArray(args['commands']) ? args['commands'] : [];
    if (commands.length > 100) throw new Refusal(400, 'Bad Request: BOT_COMMANDS_TOO_MUCH');
    this.commands.length = 0;
    for (const command of commands) {
      const { command: name, description } = objectOf(command);
      if (!/^[a-z0-9_]{1,32}$/.test(textOf(name))) throw new Refusal(400, 'Bad Request: BOT_COMMAND_INVALID');
      if (textOf(description).length < 1 || textOf(description).length > 256)
        throw new Refusal(400, 'Bad Request: BOT_COMMAND_DESCRIPTION_INVALID');
      this.commands.push({ command: textOf(name), description: textOf(description) });
    }
    return true;
  }
}

/** Of a topic. */
function nameOf(args: Call['args']): string {
  const name = textOf(args['name']);
  if (name === '' || name.length > 128) throw new Refusal(400, 'Bad Request: TOPIC_TITLE_EMPTY');
  return name;
}

/** As the Bot API shows a message. */
export function wireOf({
  raw: _raw,
  reply_to,
  file,
  keyboard: _keyboard,
  silent: _silent,
  text,
  entities,
  ...rest
}: ApiMessage): Record<string, unknown> {
  return {
    ...rest,
    ...(file === undefined ? { text, entities } : { caption: text, caption_entities: entities }),
    ...(reply_to === undefined ? {} : { reply_to_message: { message_id: reply_to, chat: rest.chat, date: rest.date } }),
  };
}

function read(
  raw: string,
  mode: unknown,
  isCaption: boolean,
  most = maxText,
): { readonly text: string; readonly entities: readonly Entity[] } {
  const parsed = mode === undefined ? { text: raw, entities: [] } : parsedBy(raw, mode);
  if (!isCaption && parsed.text.trim() === '') throw new Refusal(400, 'Bad Request: message text is empty');
  if (parsed.text.length > (isCaption ? maxCaption : most))
    throw new Refusal(400, `Bad Request: message ${isCaption ? 'caption ' : ''}is too long`);
  return parsed;
}

function parsedBy(raw: string, mode: unknown): ReturnType<typeof parseMarkdownV2> {
  if (mode !== 'MarkdownV2') throw new Refusal(400, 'Bad Request: unsupported parse_mode');
  try {
    return parseMarkdownV2(raw);
  } catch (error) {
    if (error instanceof MarkupError) throw new Refusal(400, `Bad Request: can't parse entities: ${error.message}`);
    throw error;
  }
}

function keyboardOf(markup: unknown): ApiMessage['keyboard'] {
  const rows = objectOf(markup)['inline_keyboard'];
  if (!Array.isArray(rows)) return [];
  return rows.map((row: unknown) =>
    (Array.isArray(row) ? row : []).map((given: unknown) => {
      const { text, callback_data: data } = objectOf(given);
      if (textOf(text) === '') throw new Refusal(400, 'Bad Request: text buttons are unallowed in the inline keyboard');
      const bytes = Buffer.byteLength(textOf(data));
      if (bytes < 1 || bytes > 64) throw new Refusal(400, 'Bad Request: BUTTON_DATA_INVALID');
      return { text: textOf(text), callback_data: textOf(data) };
    }),
  );
}

/** Forms carry objects as JSON. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const parsed: unknown = typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value;
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function numberOf(value: unknown): number | undefined {
  return value === undefined ? undefined : Number(value);
}
