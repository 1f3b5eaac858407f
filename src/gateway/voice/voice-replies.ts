/** Speaks answers in chats that want it, behind their text: a reply of its own, which the text never waits for. */
import pLimit from 'p-limit';
import { searchPathOf } from '../../environments/local/search-path.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { NewReply } from '../../sessions/chat-inbox.ts';
import { formatFor } from '../../speech/format-for.ts';
import { speechProblem } from '../../speech/can-speak.ts';
import type { SpeechAccess } from '../../speech/speech-access.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import { readDetails } from '../delivery/reply-details.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { findMedia, takeMedia } from '../text/media-marks.ts';
import type { VoiceModes } from './voice-modes.ts';

export interface VoiceRepliesOptions {
  readonly access: SpeechAccess;
  readonly modes: VoiceModes;
  /** For paths that begin with `~/`. */
  readonly userHome: string;
  readonly log: Log;
  connection(platform: string): PlatformConnection | undefined;
  /** Resolves when the reply is written down. */
  add(reply: NewReply): Promise<void>;
}

export interface Answered {
  readonly event: MessageEvent;
  /** Markdown, with its marks for files. */
  readonly text: string;
  /** What the answer became; nothing for silence. */
  readonly replies: readonly NewReply[];
}

const atOnce = 2;
/** Answers that wait to be spoken; with more of them those that come are only read. */
const mostWaiting = 20;
/** Chats that were told of a failure. */
const mostTold = 1000;

export class VoiceReplies {
  readonly #options: VoiceRepliesOptions;
  readonly #limit = pLimit(atOnce);
  readonly #stop = new AbortController();
  readonly #spoken = new Set<Promise<void>>();
  /** Each is told once, until an answer was spoken again. */
  readonly #told = new Set<string>();

  constructor(options: VoiceRepliesOptions) {
    this.#options = options;
  }

  get modes(): VoiceModes {
    return this.#options.modes;
  }

  /** Why nothing can be spoken there, in words for people; undefined when it can. */
  problem(platform: string): string | undefined {
    const { access } = this.#options;
    const adapter = this.#options.connection(platform)?.adapter;
    if (adapter !== undefined && adapter.files === undefined) return 'No files can be sent here, so nothing is spoken.';
    const problem = speechProblem(access.output, searchPathOf(access.programs()));
    return problem === undefined ? undefined : `Nothing can be spoken yet: ${problem}.`;
  }

  /** Returns at once. */
  answered(answer: Answered): void {
    const [reply] = answer.replies;
    if (reply === undefined || this.#stop.signal.aborted || !this.#isWanted(answer, reply)) return;
    if (this.#limit.pendingCount >= mostWaiting)
      return this.#options.log.warning('an answer is not spoken: too many wait to be');
    const spoken = this.#limit(() => this.#speak(answer, reply)).finally(() => this.#spoken.delete(spoken));
    this.#spoken.add(spoken);
  }

  /** Resolves when nothing is being spoken, or the signal aborts. */
  async settled(signal: AbortSignal): Promise<void> {
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (!signal.aborted) await Promise.race([Promise.all(this.#spoken), stopped]);
  }

  /** What is not spoken yet is not any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#spoken);
  }

  #isWanted({ event: { source, attachments } }: Answered, reply: NewReply): boolean {
    const { modes } = this.#options;
    const mode = modes.of(source);
    const isAnswerToVoice = attachments.some(({ kind }) => kind === 'voice');
    if (mode === 'off' || (mode === 'voice_only' && !isAnswerToVoice)) return false;
    if (this.#options.connection(source.platform)?.adapter?.files === undefined) return false;
    // The agent has spoken already.
    const { files = [] } = readDetails(reply.details);
    return !files.some(({ kind }) => kind === 'voice' || kind === 'audio');
  }

  /** Behind the words, like the sound that it stands for. */
  async #tell(reply: NewReply, content: string): Promise<void> {
    try {
      await this.#options.add({
        ...reply,
        id: `${reply.id}.unspoken`,
        content,
        details: JSON.stringify({ beside: true }),
      });
    } catch (error) {
      this.#options.log.warning('that an answer was not spoken could not be told', error);
    }
  }

  async #speak({ text }: Answered, reply: NewReply): Promise<void> {
    const { access, userHome, log } = this.#options;
    const chat = `${reply.platform}:${reply.chatId}`;
    try {
      const { output } = access;
      if (output.kind === 'none') throw new UserError(output.why);
      const { spokenText } = await import('../../speech/spoken-text.ts');
      const words = spokenText(takeMedia(findMedia(text, userHome)).text);
      if (words === '') return;
      const { speak } = await import('../../speech/speak.ts');
      const { keepSpeech } = await import('../../speech/keep-speech.ts');
      const path = await keepSpeech(
        access.homePath,
        await speak(words, formatFor(reply.platform, output.speaker), access, this.#stop.signal),
      );
      await this.#options.add(voiceReply(reply, path));
      this.#told.delete(chat);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const why = errorMessage(error).slice(0, 300);
      log.warning(`an answer was not spoken: ${why}`, error);
      if (this.#told.has(chat) || this.#told.size >= mostTold) return;
      this.#told.add(chat);
      await this.#tell(reply, `🔇 I could not speak this answer: ${why}`);
    }
  }
}

/** Nobody is told when it is given up: the words are there. */
function voiceReply(reply: NewReply, path: string): NewReply {
  const { replyTo } = readDetails(reply.details);
  const files = [{ kind: 'voice', path, name: `answer${path.slice(path.lastIndexOf('.'))}` }];
  const details = { files, beside: true, ...(replyTo === undefined ? {} : { replyTo }) };
  return { ...reply, id: `${reply.id}.voice`, content: '', details: JSON.stringify(details) };
}
