/** What a chat needs to know of its platform. */
import type { Log } from '../../lib/log.ts';
import type { NewReply, ShownPreview } from '../../sessions/chat-inbox.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import type { ReplyFile } from '../delivery/reply-details.ts';
import { sendText } from '../delivery/send-text.ts';
import type { GatewaySettings } from '../gateway-settings.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { ChatAddress } from '../platform/adapter.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { SessionSource } from '../platform/session-source.ts';
import { isSharedSession } from '../sessions/session-key.ts';
import { userPseudonym, usesPseudonyms } from '../context/pseudonyms.ts';
import { sessionContextPrompt } from '../context/session-context.ts';
import type { Answer, ChatPlace, ProcessingMark } from './chat-deps.ts';
import type { ChatDisplay } from '../display/display-settings.ts';
import type { LiveDisplay } from '../display/live-display.ts';
import { withReasoning } from '../display/reasoning.ts';
import { footerLine, type FooterPlace } from '../display/runtime-footer.ts';
import { isSilenceNarration, isSilent } from '../text/silence.ts';
import type { ReceivedFile } from './turn-input.ts';
import { aboutDetails, noAnswerText, previewDetails } from './replies.ts';
import { type KeptView, TurnView } from './turn-view.ts';

export interface Taken {
  readonly text: string;
  readonly files: readonly ReplyFile[];
}

export interface PlaceOptions {
  readonly settings: GatewaySettings;
  readonly display: LiveDisplay;
  /** What a footer says of the place where the agent works. */
  readonly work: FooterPlace;
  readonly clock: AdapterClock;
  readonly log: Log;
  connection(platform: string): PlatformConnection | undefined;
  connected(): readonly string[];
  /** Aborts when everything ends. */
  readonly stopping: AbortSignal;
  receive(event: MessageEvent, signal: AbortSignal): Promise<readonly ReceivedFile[]>;
  /** The files that an answer names and that may be sent, and its text without their marks. */
  takeFiles(text: string): Taken;
  /** The pictures on the web that an answer shows, brought to this machine as far as that may be, and what is left of it. */
  takePictures(text: string, hosts: Answer['hosts'], signal: AbortSignal): Promise<Taken>;
}

/** What is said beside the outbox may take this long. */
const sayMs = 30_000;
const marks = { working: '👀', done: '✅', failed: '❌' } as const;

export class Place implements ChatPlace {
  readonly #options: PlaceOptions;
  #said = 0;

  constructor(options: PlaceOptions) {
    this.#options = options;
  }

  isShared(source: SessionSource): boolean {
    const { groupSessionsPerUser, threadSessionsPerUser } = this.#options.settings;
    return isSharedSession(source, {
      group_sessions_per_user: groupSessionsPerUser,
      thread_sessions_per_user: threadSessionsPerUser,
    });
  }

  idOf({ platform, user_id: id }: SessionSource): string | null {
    return id !== null && this.#hidesIds(platform) ? userPseudonym(id) : id;
  }

  context(event: MessageEvent): string {
    const { source } = event;
    const connected = this.#options.connected();
    const factsOf = (name: string) => this.#options.connection(name)?.platform;
    const homes = connected.flatMap((name) => {
      const home = this.#options.connection(name)?.config.homeChannel;
      if (home === undefined) return [];
      const shown = { chat_id: home.chatId, name: home.name ?? home.chatId };
      return [[name, home.threadId === null ? shown : { ...shown, thread_id: home.threadId }] as const];
    });
    return sessionContextPrompt(
      {
        source,
        connected_platforms: connected,
        home_channels: Object.fromEntries(homes),
        shared_multi_user_session: this.isShared(source),
      },
      {
        hidesIds: this.#hidesIds(source.platform),
        labelOf: (name) => factsOf(name)?.label ?? name,
      },
    );
  }

  async receive(event: MessageEvent, signal: AbortSignal): Promise<readonly ReceivedFile[]> {
    return event.attachments.length === 0 ? [] : await this.#options.receive(event, signal);
  }

  view(event: MessageEvent, kept: KeptView): TurnView {
    const { settings, clock, log } = this.#options;
    const connection = this.#options.connection(event.source.platform);
    const facts = connection?.platform;
    return new TurnView({
      to: { chatId: event.source.chat_id, threadId: event.source.thread_id },
      shown:
        connection?.adapter === undefined || facts === undefined
          ? undefined
          : {
              adapter: connection.adapter,
              facts,
              display: this.display(facts.name),
            },
      streaming: settings.streaming,
      typing: connection?.config.typingIndicator ?? false,
      clock,
      log,
      ...kept,
    });
  }

  display(platform: string): ChatDisplay {
    return this.#options.display.of(platform);
  }

  /** Nobody waits for it: where it cannot be said, the log has it. */
  async say({ source, message_id: replyTo }: MessageEvent, text: string): Promise<void> {
    const { clock, log } = this.#options;
    const connection = this.#options.connection(source.platform);
    if (connection?.adapter === undefined) return log.warning(`not said, ${source.platform} is not connected: ${text}`);
    this.#said += 1;
    const message = {
      to: { chatId: source.chat_id, threadId: source.thread_id },
      text,
      key: `said.${clock.now()}.${this.#said}`,
      ...(replyTo === null ? {} : { replyTo }),
    };
    const result = await sendText(message, {
      adapter: connection.adapter,
      facts: connection.platform,
      replyToMode: connection.config.replyToMode,
      clock,
      signal: AbortSignal.timeout(sayMs),
    });
    if (!result.ok) return log.warning(`not said in ${source.platform}: ${result.error}`);
    const { ephemeral_system_ttl: seconds } = this.display(source.platform);
    if (seconds > 0 && result.messageId !== null) void this.#remove(connection, message.to, result.messageId, seconds);
  }

  /** What the program itself said goes away after a while, where the owner wants that and the platform can. */
  async #remove({ adapter }: PlatformConnection, to: ChatAddress, messageId: string, seconds: number): Promise<void> {
    const { clock, log, stopping } = this.#options;
    try {
      await clock.sleep(seconds * 1000, stopping);
      await adapter?.edits?.remove?.(to, messageId, AbortSignal.timeout(sayMs));
    } catch (error) {
      if (!stopping.aborted) log.debug('a message of the program was not taken away', error);
    }
  }

  mark({ source, message_id: messageId }: MessageEvent, mark: ProcessingMark): void {
    const { log } = this.#options;
    const reactions = this.#options.connection(source.platform)?.adapter?.reactions;
    if (reactions === undefined || messageId === null) return;
    const to = { chatId: source.chat_id, threadId: source.thread_id };
    const emoji = mark === undefined ? undefined : marks[mark];
    reactions
      .set(to, messageId, emoji, AbortSignal.timeout(sayMs))
      .catch((error: unknown) => log.debug('a message was not marked', error));
  }

  async compose({ source, message_id: replyTo }: MessageEvent, answer: Answer): Promise<NewReply | undefined> {
    if (isSilent(answer.text) || (this.#options.settings.filtersSilence && isSilenceNarration(answer.text)))
      return undefined;
    const pictures = await this.#options.takePictures(answer.text, answer.hosts, this.#options.stopping);
    const { text: words, files: named } = this.#options.takeFiles(pictures.text);
    const files = [...pictures.files, ...named];
    const text = words === '' ? words : this.#dressed(source.platform, words, answer);
    const details = {
      ...(replyTo === null ? {} : { replyTo }),
      ...aboutDetails(answer.about),
      ...previewDetails(answer.preview, this.#isOld(source.platform, answer.preview)),
      ...(files.length === 0 ? {} : { files }),
      ...(answer.hosts.hasStrangeText ? {} : { linkPreviews: true }),
    };
    return {
      id: answer.id,
      sessionKey: answer.sessionKey,
      platform: source.platform,
      chatId: source.chat_id,
      threadId: source.thread_id,
      content: text === '' && files.length === 0 ? noAnswerText : text,
      details: JSON.stringify(details),
    };
  }

  /** `streaming.fresh_final_after_seconds`, where an edit would leave the time at which the answer began. */
  #isOld(platform: string, { since }: ShownPreview): boolean {
    const { fresh_final_after_seconds: seconds } = this.#options.settings.streaming;
    const connection = this.#options.connection(platform);
    if (seconds <= 0 || since === undefined || connection?.platform.editsKeepTime !== true) return false;
    return connection.adapter?.edits?.remove !== undefined && this.#options.clock.now() - since >= seconds * 1000;
  }

  #hidesIds(platform: string): boolean {
    const facts = this.#options.connection(platform)?.platform;
    return usesPseudonyms(this.#options.settings.redactPii, platform, facts?.piiSafe);
  }

  #dressed(platform: string, words: string, { reasoning, facts }: Answer): string {
    const { show_reasoning: shows, reasoning_style: style, runtime_footer: fields } = this.display(platform);
    const footer = facts === undefined ? '' : footerLine(fields, facts, this.#options.work);
    const text = shows ? withReasoning(words, reasoning, style) : words;
    return footer === '' ? text : `${text}\n\n${footer}`;
  }
}
