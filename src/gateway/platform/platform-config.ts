/** The settings of one platform, brought together from every place where they may stand. */

/**
 * `extra` holds the platform's own keys by their names in config.yaml, those of variables too: an adapter parses it with
 * its own schema and reads nothing else.
 */
export interface PlatformConfig {
  readonly platform: string;
  readonly enabled: boolean;
  readonly token: string | undefined;
  readonly apiKey: string | undefined;
  readonly homeChannel: HomeChannel | undefined;
  /** Which parts of an answer quote the question. */
  readonly replyToMode: 'off' | 'first' | 'all';
  readonly restartNotification: boolean;
  readonly typingIndicator: boolean;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Where messages go that nobody asked for in a chat. */
export interface HomeChannel {
  readonly chatId: string;
  readonly name: string | undefined;
  readonly threadId: string | null;
}
