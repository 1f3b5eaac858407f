/** Listens to the person, recording by recording, as long as something is said. */
import { writeFile } from 'node:fs/promises';
import { errorMessage } from '../../lib/errors.ts';
import type { Hearing } from '../../runtime/hearing.ts';
import { inScratchFolder } from '../../speech/scratch-folder.ts';
import { isPhantom } from '../../speech/voice/phantoms.ts';
import { type Recording, record } from '../../speech/voice/record.ts';
import type { Recorder } from '../../speech/voice/recorders.ts';
import type { SilenceSettings } from '../../speech/voice/silence.ts';
import { bytesPerSecond, samplesPerSecond } from '../../speech/voice/sound.ts';
import { wavOf } from '../../speech/wav.ts';

export interface ListeningParts {
  readonly settings: SilenceSettings;
  readonly hearing: Pick<Hearing, 'read'>;
  /** Those that are installed. */
  recorders(): readonly Recorder[];
  /** All that programs get to see. */
  programs(): Readonly<Record<string, string>>;
  /** Tells by a sound that it begins or ends. Must not reject. */
  beep(at: 'start' | 'end', signal: AbortSignal): Promise<void>;
  /** Takes what was said. */
  said(text: string): void;
  /** A line for the person. */
  tell(line: string): void;
  changed(): void;
}

export type ListeningState = 'off' | 'recording' | 'reading';

/** Recordings in which nothing was said, after which nobody is there. */
const mostEmpty = 3;
/** Nobody says anything in less. */
const leastBytes = 0.3 * bytesPerSecond;

export class Listening {
  readonly #parts: ListeningParts;
  #state: ListeningState = 'off';
  #loop = false;
  #empty = 0;
  #loudness = 0;
  #cancel = new AbortController();
  #enough = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: ListeningParts) {
    this.#parts = parts;
  }

  get state(): ListeningState {
    return this.#state;
  }

  /** Of what is being recorded. */
  get loudness(): number {
    return this.#loudness;
  }

  /** Another recording follows each one by itself. */
  get loops(): boolean {
    return this.#loop;
  }

  /** Begins to record, again after each answer until something ends it. No effect while it listens. */
  begin(): void {
    this.#loop = true;
    this.#empty = 0;
    this.goOn();
  }

  /** The next recording. */
  goOn(): void {
    if (this.#running !== undefined || !this.#loop) return;
    this.#cancel = new AbortController();
    this.#running = this.#listen(this.#cancel.signal).finally(() => {
      this.#running = undefined;
      this.#become('off');
    });
  }

  /** What is recorded is taken as it is, and no other recording follows. */
  enough(): void {
    this.#loop = false;
    this.#enough.abort();
  }

  /** No other recording follows. */
  endLoop(): void {
    this.#loop = false;
  }

  /** Throws away what is being recorded or read; true when something was. */
  cancel(): boolean {
    this.#loop = false;
    this.#cancel.abort();
    return this.#running !== undefined;
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  async #listen(signal: AbortSignal): Promise<void> {
    try {
      do {
        const text = await this.#round(signal);
        if (text !== '') {
          this.#empty = 0;
          return this.#parts.said(text);
        }
        this.#empty += 1;
        if (this.#empty >= mostEmpty && this.#loop) {
          this.#loop = false;
          return this.#parts.tell(`Nothing was heard ${mostEmpty} times; the microphone is off.`);
        }
        if (!this.#loop) this.#parts.tell('Nothing was heard.');
      } while (this.#loop);
    } catch (error) {
      this.#loop = false;
      if (!signal.aborted) this.#parts.tell(errorMessage(error));
    }
  }

  /** What was said in one recording; empty when nothing was. */
  async #round(signal: AbortSignal): Promise<string> {
    const { settings } = this.#parts;
    this.#enough = new AbortController();
    this.#become('recording');
    await this.#parts.beep('start', signal);
    const recording = await record(this.#parts.recorders(), {
      env: this.#parts.programs(),
      settings,
      signal,
      enough: this.#enough.signal,
      onHeard: ({ loudness }) => {
        this.#loudness = loudness;
        this.#parts.changed();
      },
    });
    this.#become('reading');
    const beep = this.#parts.beep('end', signal);
    try {
      const text = isEmpty(recording, settings) ? '' : await this.#read(recording, signal);
      return isPhantom(text) ? '' : text;
    } finally {
      await beep;
    }
  }

  /** The sound lies in a file of its own no longer than it is read. */
  async #read({ sound }: Recording, signal: AbortSignal): Promise<string> {
    return await inScratchFolder(async (file) => {
      const path = file('recording.wav');
      await writeFile(path, wavOf(sound, samplesPerSecond), { mode: 0o600 });
      return await this.#parts.hearing.read(path, signal);
    });
  }

  #become(state: ListeningState): void {
    this.#state = state;
    this.#loudness = 0;
    this.#parts.changed();
  }
}

/** Whoever ends a recording by hand may have spoken shortly; else speech was confirmed or there was none. */
function isEmpty({ sound, heard }: Recording, { threshold }: SilenceSettings): boolean {
  if (sound.length < leastBytes || heard.verdict === 'nothing') return true;
  return !heard.spoken && heard.loudest <= threshold;
}
