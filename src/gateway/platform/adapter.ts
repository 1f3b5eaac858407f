/** What a platform has to be able to do. One implementation a platform, in a folder of its own under `platforms/`. */
import type { Attachment } from './message-event.ts';
import type { SendResult } from './send-result.ts';

/** A chat, and the thread or topic in it. */
export interface ChatAddress {
  readonly chatId: string;
  readonly threadId: string | null;
}

export interface OutgoingText {
  readonly to: ChatAddress;
  /** Markdown within the platform's limit; the adapter puts it into the platform's markup. */
  readonly text: string;
  /** Quote this message. */
  readonly replyTo?: string;
  /** As it is, without markup: after the platform refused it. */
  readonly plain?: boolean;
  /** False: without a sound at the receiver's, where the platform can. Default true. */
  readonly notify?: boolean;
  /**
   * True: whoever shows it may ask the addresses in it, as platforms do for previews of links. Default false: a text that a
   * stranger may have had a word in would send away what its addresses hold before anybody opens one.
   */
  readonly linkPreviews?: boolean;
  /**
   * The same for every attempt at the same message: platforms that can are told it, so that a second attempt is no second
   * message (Matrix: the transaction id).
   */
  readonly idempotencyKey: string;
}

export interface OutgoingFile {
  readonly to: ChatAddress;
  readonly kind: 'image' | 'animation' | 'voice' | 'audio' | 'video' | 'document';
  /** An absolute path that may be sent. */
  readonly path: string;
  readonly name: string;
  readonly caption?: string;
  readonly replyTo?: string;
  readonly notify?: boolean;
  readonly idempotencyKey: string;
}

export interface ChatInfo {
  readonly name: string;
  readonly type: string;
}

/**
 * Must not do anything before `connect`: no request, no timer. Sending works without it, for a program that says one thing
 * and ends, and takes no lock then. Sending must never throw for what the platform or the
 * network does; it answers with a `SendResult`, within a deadline of its own or when the signal aborts. What a platform
 * does not have is absent. Everything that arrives goes to `AdapterHost.accept`, one after the other for each chat, and
 * the platform is told that it arrived only after that has resolved.
 *
 * @example
 * const adapter = telegram.create(host);
 * await adapter.connect(signal);
 * await adapter.send({ to: { chatId: '42', threadId: null }, text: 'hello', idempotencyKey: 'a1' }, signal);
 * await adapter.disconnect();
 */
export interface PlatformAdapter {
  /** Begins to receive. Throws `PlatformError`: a wrong key is not retryable, an unreachable server is. */
  connect(signal: AbortSignal): Promise<void>;
  /** Ends every loop, timer, server and socket, and gives locks back; nothing is accepted afterwards. Safe to call twice. */
  disconnect(): Promise<void>;
  send(message: OutgoingText, signal: AbortSignal): Promise<SendResult>;
  /**
   * Who it is there, for a person to read: it asks with the credentials and nothing else, without a lock. Throws
   * `PlatformError` as `connect` does. Absent where there is nobody to ask.
   */
  account?(signal: AbortSignal): Promise<string>;
  /** Undefined for an unknown chat. */
  chatInfo(chatId: string, signal: AbortSignal): Promise<ChatInfo | undefined>;
  readonly edits?: MessageEdits;
  readonly drafts?: MessageDrafts;
  readonly files?: FileTransfer;
  readonly typing?: Typing;
  readonly reactions?: Reactions;
  readonly prompts?: Prompts;
  readonly threads?: Threads;
  /** For the channel directory. Absent where the platform cannot list them. */
  channels?(signal: AbortSignal): Promise<readonly Channel[]>;
  /** Commands for the platform's own menu, as soon as they are known. */
  showCommands?(commands: readonly MenuCommand[], signal: AbortSignal): Promise<void>;
}

export interface MessageEdits {
  /** `final`: nothing follows; false while an answer is still being written, when markup may be left out. */
  edit(
    messageId: string,
    message: Omit<OutgoingText, 'replyTo'>,
    final: boolean,
    signal: AbortSignal,
  ): Promise<SendResult>;
  /** Takes a message back. Absent where the platform cannot. */
  remove?(to: ChatAddress, messageId: string, signal: AbortSignal): Promise<SendResult>;
}

/** The platform's own way of showing an answer while it is written. */
export interface MessageDrafts {
  supports(to: ChatAddress): boolean;
  /** `draftId`: the same for all drafts of one answer. */
  show(to: ChatAddress, draftId: number, text: string, signal: AbortSignal): Promise<SendResult>;
}

export interface FileTransfer {
  /** `unsupported` for a kind that the platform does not have: it is sent as a document then, or told in words. */
  send(file: OutgoingFile, signal: AbortSignal): Promise<SendResult>;
  /** Several pictures as one message. Absent where the platform has no such thing. */
  readonly albums?: Albums;
  /**
   * The bytes of what came with a message. Rejects with a one-line error; whoever reads counts the bytes and stops.
   */
  fetch(attachment: Attachment, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

export interface Albums {
  /** Pictures of one album. */
  readonly most: number;
  /**
   * Two at least, for one chat: all of them arrive, or none. What is refused may pass one by one; `mayHaveArrived` is true of
   * all of them.
   */
  send(files: readonly OutgoingFile[], signal: AbortSignal): Promise<SendResult>;
}

export interface Typing {
  /** Shown for a while; called again every `everyMs` while a turn runs. */
  readonly everyMs: number;
  show(to: ChatAddress, signal: AbortSignal): Promise<void>;
  hide?(to: ChatAddress, signal: AbortSignal): Promise<void>;
}

/** The marks on the message that a turn answers. Failures are nobody's trouble: they reject and are logged. */
export interface Reactions {
  set(to: ChatAddress, messageId: string, emoji: string | undefined, signal: AbortSignal): Promise<void>;
}

/** Questions with buttons, or whatever the platform has instead. Presses go to `AdapterHost.press`. */
export interface Prompts {
  /** Options that fit into one question; the gateway shows pages of them. */
  readonly maxOptions: number;
  /** True: a press counts from everybody who may speak to the agent there, not only from whom was asked. */
  readonly anybody?: boolean;
  show(prompt: Prompt, signal: AbortSignal): Promise<SendResult>;
  /** Puts `outcome` in the place of the buttons, so that nobody presses them any more. */
  close(prompt: Prompt, messageId: string, outcome: string, signal: AbortSignal): Promise<void>;
}

export interface Prompt {
  readonly to: ChatAddress;
  /** Short enough for a button's data: at most 24 characters of `[A-Za-z0-9_-]`. */
  readonly id: string;
  /** Markdown. */
  readonly text: string;
  readonly options: readonly PromptOption[];
  /** An approval or a confirmation is the word that lets something happen; a question is only about what is meant. */
  readonly kind: 'approval' | 'confirmation' | 'question';
  readonly replyTo?: string;
  readonly idempotencyKey: string;
}

export interface PromptOption {
  /** At most 16 characters of `[A-Za-z0-9_-]`. */
  readonly id: string;
  readonly label: string;
}

export interface Threads {
  /** Undefined when none can be made there. */
  create(chatId: string, name: string, signal: AbortSignal): Promise<ChatAddress | undefined>;
  /** Another name for one; absent where it has none, or keeps it. */
  rename?(to: ChatAddress, name: string, signal: AbortSignal): Promise<void>;
  /** Whether people may have threads in their private chats with the bot, asked anew. Absent where there are none. */
  inPrivateChats?(signal: AbortSignal): Promise<PrivateThreads>;
}

/** Undefined: the platform does not say. */
export interface PrivateThreads {
  readonly enabled: boolean | undefined;
  readonly peopleMayCreate: boolean | undefined;
}

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly guild?: string;
  readonly threadId?: string;
}

export interface MenuCommand {
  readonly name: string;
  readonly description: string;
}
