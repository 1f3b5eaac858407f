/** A platform as it stands in the catalogue: what can be known of it without connecting. */
import type { Variables } from '../../config/variables.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { LengthUnit } from '../text/length.ts';
import type { ChatAddress, PlatformAdapter } from './adapter.ts';
import type { AdapterHost } from './adapter-host.ts';
import type { HomeChannel } from './platform-config.ts';
import type { SetupDialogue } from './setup-dialogue.ts';

export interface PlatformFacts {
  /** `[a-z0-9_]+`. */
  readonly name: string;
  readonly label: string;
  /** Key of the plug-in that brought it; absent: it is of the program. */
  readonly plugin?: string;
  readonly emoji: string;
  /** Longest message; 0 means any. */
  readonly maxMessageLength: number;
  readonly lengthUnit: LengthUnit;
  /** Ids of people may be hashed before a model sees them: the platform does not need them in its text. */
  readonly piiSafe: boolean;
  /**
   * A message that is sent again with the same `idempotencyKey` is the same message, after a restart too: then nothing has
   * to be marked as a possible repeat.
   */
  readonly sendsOnce: boolean;
  /** An edited message keeps the time at which it was sent, and its reader is not told of it. */
  readonly editsKeepTime?: boolean;
  /** Listens on a port of its own. */
  readonly bindsPort: boolean;
  /** What comes over it is let in without a list of people. */
  readonly transportAuthenticated: boolean;
  /** False: `/update` is not taken from here. Absent: it is. */
  readonly allowsUpdate?: boolean;
  /** Where `/` does not reach us, `!` stands for it. */
  readonly commandPrefix: '/' | '!';
  /** Goes into the system prompt. */
  readonly hint: string;
  readonly requiredVariables: readonly PlatformVariable[];
  readonly allowedUsersVariable: string;
  readonly allowAllVariable: string;
  readonly homeVariable: string;
  /** A private chat has the id of the person in it. */
  readonly privateChatIsPerson?: boolean;
  /** One line: where credentials come from. */
  readonly setupHint: string;
}

/** What an operator has to say of it. */
export interface PlatformVariable {
  readonly name: string;
  readonly prompt: string;
  readonly url?: string;
  readonly secret: boolean;
  /** It works without. */
  readonly optional?: boolean;
  /** Another one, beside which this one means nothing. */
  readonly insteadOf?: string;
  /** What is wrong with a value, or undefined when it will do. */
  check?(value: string): string | undefined;
}

/**
 * `read` brings the platform's own variables and keys together (`block`: its merged keys of config.yaml) and says whether
 * it is configured; it does no I/O and throws `UserError` for a value that cannot be. `create` does no I/O either.
 */
export interface Platform extends PlatformFacts {
  read(variables: Variables, block: Readonly<Record<string, unknown>>): PlatformReading;
  create(host: AdapterHost): PlatformAdapter;
  /**
   * Puts what the file says into the words that `read` knows, and fills in variables that nobody has set. Called before
   * `read`, where the file has a block for it. Never throws.
   */
  translate?(written: WrittenSettings): Translation;
  /**
   * Sends in a process that is not the gateway, and does nothing else; absent: what `create` makes can do it. Throws
   * `UserError` where the platform cannot be written to without the gateway.
   */
  createSender?(host: AdapterHost): PlatformAdapter;
  /** Asks for the credentials in its own way; absent: the variables are asked for. Rejects when that failed. */
  setUp?(dialogue: SetupDialogue): Promise<void>;
  /**
   * A chat by its id, as people write it behind the name of the platform; undefined: it is a name. Without this a chat is
   * digits, with a thread behind a colon.
   */
  readAddress?(text: string): ChatAddress | undefined;
}

/** All that is written down of a platform. */
export interface WrittenSettings {
  /** The whole of config.yaml. */
  readonly raw: JsonObject;
  /** The platform's own keys of it, merged. */
  readonly block: JsonObject;
  readonly variables: Variables;
}

export interface Translation {
  /** With those that were filled in. */
  readonly variables: Variables;
  /** Stand before the keys of the block. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface PlatformReading {
  /** Its credentials are there. */
  readonly configured: boolean;
  readonly token?: string;
  readonly apiKey?: string;
  /** The platform's own keys, as `PlatformConfig.extra`. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** What is missing or wrong, one line each. */
  readonly problems: readonly string[];
  /** Where messages go that nobody asked for there, where the settings do not say so. */
  readonly homeChannel?: HomeChannel;
  /** Another longest message than that of the catalogue, where it can be set. */
  readonly maxMessageLength?: number;
}

/** One line of the catalogue: loaded when it is configured or asked about. */
export interface PlatformEntry {
  readonly name: string;
  /** One of these set is enough to look closer. */
  readonly variables: readonly string[];
  /** Key of the plug-in that brought it; absent: it is of the program. */
  readonly plugin?: string;
  load(): Promise<{ readonly platform: Platform }>;
}
