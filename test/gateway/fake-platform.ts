/** What the server that stands for a chat platform in tests has to offer, so that the suite for adapters can use it. */
import type { Variables } from '../../src/config/variables.ts';
import type { ChatAddress } from '../../src/gateway/platform/adapter.ts';
import type { Attachment } from '../../src/gateway/platform/message-event.ts';
import type { Platform } from '../../src/gateway/platform/platform.ts';

/** A platform, and how a server for it is made. What both do not have is left out, and the suite skips it. */
export interface PlatformUnderTest {
  readonly platform: Platform;
  /** Apart from others of the same platform: `webhook`. */
  readonly variant?: string;
  /** It delivers by itself, so there is no connection of the adapter's that could break. */
  readonly pushes?: true;
  /** It is of a plug-in, so it stands in no catalogue. */
  readonly plugged?: true;
  /** A new server, with the bot as a member of every place. */
  open(): Promise<FakePlatform>;
}

/**
 * Speaks the real wire format and refuses what the real one refuses. It knows two people, `friend` and `stranger`, and
 * another bot; who may speak to the agent is not its business.
 */
export interface FakePlatform extends AsyncDisposable {
  /** With these and `block` the adapter reaches it. */
  readonly variables: Variables;
  readonly block: Readonly<Record<string, unknown>>;
  /** Laid over `variables`: credentials that it refuses. */
  readonly wrongVariables: Variables;
  /** Must not stand in a log or an error. */
  readonly secrets: readonly string[];
  readonly places: FakePlaces;
  /** Names of settings, as in config.yaml. */
  readonly keys: SettingKeys;
  /** How many requests have reached it. */
  readonly requests: number;
  /** Somebody writes; resolves with the id of the message. */
  write(message: FakeWritten): Promise<string>;
  /** Delivers a message a second time, as platforms do. */
  repeat(messageId: string): Promise<void>;
  /** The adapter has said that it has it, so that it is not delivered again. */
  isAcknowledged(messageId: string): boolean;
  /** What people see in a place, in order. */
  shown(place: ChatAddress): readonly ShownMessage[];
  /** How often it was shown there that the bot writes. */
  typed(place: ChatAddress): number;
  /** What comes over the next request that sends, edits or uploads; troubles stand in line. */
  trouble(trouble: Trouble): void;
  /** Nobody answers on its port until `start`; connections are cut. What people write meanwhile waits. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Somebody presses a button of a message. Resolves with what the person is told, if anything. */
  press?(messageId: string, label: string, by: Person): Promise<string | undefined>;
}

export interface FakePlaces {
  /** With `friend`. */
  readonly dm: ChatAddress;
  readonly group: ChatAddress;
  readonly otherGroup: ChatAddress;
  /** In `group`. */
  readonly thread?: ChatAddress;
}

export interface SettingKeys {
  readonly requireMention: string;
  readonly freeChats: string;
  readonly allowedChats: string;
  readonly mentionPatterns?: string;
}

export type Person = 'friend' | 'stranger' | 'bot';

export interface FakeWritten {
  readonly in: ChatAddress;
  /** `self`: the bot's own account. Default `friend`. */
  readonly from?: Person | 'self';
  readonly text: string;
  /** Puts the bot's name in front, as people mention it there. */
  readonly mention?: boolean;
  /** The id of the message that it answers. */
  readonly replyTo?: string;
  readonly file?: FakeFile;
}

export interface FakeFile {
  readonly kind: Attachment['kind'];
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

export interface ShownMessage {
  readonly id: string;
  /** As people read it, without markup. */
  readonly text: string;
  /** As it was sent. */
  readonly raw: string;
  readonly replyTo?: string;
  readonly file?: Pick<FakeFile, 'name' | 'bytes'>;
  /** Labels. */
  readonly buttons: readonly string[];
}

/**
 * - `rate_limited`: it says to wait for `seconds`
 * - `server_error`: its own failure, told as such
 * - `bad_format`: it refuses the markup
 * - `forbidden`: the chat does not take messages from the bot any more
 * - `not_found`: there is no such chat
 * - `cut_after`: it has taken the message, and the connection breaks before it says so
 */
export type Trouble =
  | { readonly as: 'rate_limited'; readonly seconds: number }
  | { readonly as: 'server_error' | 'bad_format' | 'forbidden' | 'not_found' | 'cut_after' };
