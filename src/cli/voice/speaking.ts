/** Speaks the answers of the agent as they are written, sentence by sentence. */
import { searchPathOf } from '../../environments/local/search-path.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { type AudioFormat, audioFormats } from '../../speech/audio-format.ts';
import { isInstalled, speechProblem } from '../../speech/can-speak.ts';
import { speak, type Speech } from '../../speech/speak.ts';
import type { SpeechAccess } from '../../speech/speech-access.ts';
import { play } from '../../speech/voice/play.ts';
import { type Player, playerHint, players } from '../../speech/voice/players.ts';
import { Sentences } from '../../speech/voice/sentences.ts';

export interface SpeakingParts {
  readonly access: SpeechAccess;
  /** A line for the person. */
  tell(line: string): void;
  /** It begins to speak, or ends. */
  changed(): void;
}

/** As long as an answer that somebody listens to may be, like those of chats. */
const longestAnswer = 4000;
/** No sentence is longer. */
const sentenceSeconds = 300;

export class Speaking {
  readonly #parts: SpeakingParts;
  readonly #sentences = new Sentences();
  readonly #waiting: string[] = [];
  /** Characters of this answer that are spoken, or wait for it. */
  #characters = 0;
  #muted = false;
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: SpeakingParts) {
    this.#parts = parts;
  }

  /** Why nothing can be spoken here, in words for people; undefined when it can. */
  get problem(): string | undefined {
    const { access } = this.#parts;
    const problem = speechProblem(access.output, this.#searchPath);
    if (problem !== undefined) return problem;
    return this.installed.length > 0
      ? undefined
      : `no program that plays sound is installed; install ${playerHint(process.platform)}`;
  }

  get installed(): readonly Player[] {
    return players.filter(({ program }) => isInstalled(program, this.#searchPath));
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Another answer begins. */
  begin(): void {
    this.stop();
    this.#muted = false;
    this.#characters = 0;
  }

  add(text: string): void {
    if (!this.#muted) this.#say(this.#sentences.add(text));
  }

  /** What was added is all of it. */
  end(): void {
    if (!this.#muted) this.#say(this.#sentences.end());
  }

  /** What was added and not spoken yet is void. */
  reset(): void {
    this.#sentences.reset();
    this.#waiting.length = 0;
  }

  /** Nothing more of this answer; true when something was being spoken. */
  stop(): boolean {
    const was = this.busy;
    this.reset();
    this.#muted = true;
    this.#stop.abort();
    return was;
  }

  /** Resolves when nothing is being spoken. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #say(sentences: readonly string[]): void {
    for (const sentence of sentences) {
      this.#characters += sentence.length;
      if (this.#characters <= longestAnswer) this.#waiting.push(sentence);
    }
    if (this.#waiting.length === 0 || this.busy) return;
    const stop = new AbortController();
    this.#stop = stop;
    this.#running = this.#speakAll(stop.signal).finally(() => {
      this.#running = undefined;
      this.#parts.changed();
      // Another answer may have begun while the last one fell silent.
      this.#say([]);
    });
    this.#parts.changed();
  }

  /** The next sentence is made while one is heard. */
  async #speakAll(signal: AbortSignal): Promise<void> {
    let made: Promise<Speech> | undefined;
    try {
      for (;;) {
        made ??= this.#make(signal);
        if (made === undefined) return;
        const speech = await made;
        // What waits by now belongs to another answer.
        signal.throwIfAborted();
        made = this.#make(signal);
        await play(speech.bytes, speech.format, this.#playerOf(speech.format), {
          env: this.#parts.access.programs(),
          signal,
          seconds: sentenceSeconds,
        });
      }
    } catch (error) {
      if (signal.aborted) return;
      this.stop();
      this.#parts.tell(`This answer is not spoken: ${errorMessage(error)}`);
    }
  }

  #make(signal: AbortSignal): Promise<Speech> | undefined {
    const sentence = this.#waiting.shift();
    if (sentence === undefined) return undefined;
    const made = speak(sentence, this.#formats, this.#parts.access, signal);
    // Told when its turn comes.
    made.catch(() => undefined);
    return made;
  }

  get #formats(): readonly [AudioFormat, ...AudioFormat[]] {
    const [first, ...others] = audioFormats.filter((format) =>
      this.installed.some(({ plays }) => plays.includes(format)),
    );
    return first === undefined ? ['wav'] : [first, ...others];
  }

  #playerOf(format: AudioFormat): Player {
    const player = this.installed.find(({ plays }) => plays.includes(format));
    if (player !== undefined) return player;
    throw new UserError(`no program that plays ${format} files is installed; install ffmpeg`);
  }

  get #searchPath(): string {
    return searchPathOf(this.#parts.access.programs());
  }
}
