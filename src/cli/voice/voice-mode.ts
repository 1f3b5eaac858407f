/** Voice mode of the terminal: who speaks and who listens when. Loaded with the first `/voice`. */
import type { TurnInput } from '../../agent/agent.ts';
import type { VoiceWord } from '../../commands/voice-word.ts';
import type { Config } from '../../config/schema.ts';
import { searchPathOf } from '../../environments/local/search-path.ts';
import { type Hearing, hearing, type HearingParts } from '../../runtime/hearing.ts';
import { speechAccess } from '../../runtime/speech-access.ts';
import { isInstalled } from '../../speech/can-speak.ts';
import type { SpeechAccess } from '../../speech/speech-access.ts';
import { beep } from '../../speech/voice/beep.ts';
import { play } from '../../speech/voice/play.ts';
import { playerHint } from '../../speech/voice/players.ts';
import { type Recorder, recorderHint, recorders } from '../../speech/voice/recorders.ts';
import type { WorkerEvent } from '../../worker/worker.ts';
import type { Colors } from '../render/colors.ts';
import { LevelBar } from './level-bar.ts';
import { Listening } from './listening.ts';
import { type RecordKey, recordKey } from './record-key.ts';
import { Speaking } from './speaking.ts';

export interface VoiceParts {
  readonly options: HearingParts & Parameters<typeof speechAccess>[0];
  /** No turn runs, and nothing is asked. */
  isFree(): boolean;
  /** Takes what was said as the person's message. */
  said(text: string): void;
  /** What a key does in the input box from now on, in the place of what it did; without an act that again. */
  bind(key: RecordKey['key'], act: (() => void) | undefined): void;
  tell(line: string): void;
  hint(line: string): void;
  refresh(): void;
}

/** Sent in front of what was spoken, never shown: a long answer is hard to listen to. */
const spokenNote =
  '[This was spoken. Answer as in a conversation, in two or three sentences, without Markdown or code.]';
/** Messages that were spoken and whose turn has not begun. */
const mostSpoken = 20;
const beepSeconds = 2;
const startBeep = { hertz: 880, count: 1 };
const endBeep = { hertz: 660, count: 2 };
const refreshMs = 100;

export class VoiceMode {
  readonly #parts: VoiceParts;
  readonly #settings: Config['voice'];
  readonly #hears: boolean;
  readonly #hearing: Hearing;
  readonly #access: SpeechAccess;
  readonly #listening: Listening;
  readonly #speaking: Speaking;
  readonly #level = new LevelBar();
  readonly #key: ReturnType<typeof recordKey>;
  readonly #spoken = new Set<string>();
  #on = false;
  #speaks = false;
  #drawnAt = 0;

  constructor(parts: VoiceParts) {
    this.#parts = parts;
    const { config } = parts.options.config;
    this.#settings = config.voice;
    this.#hears = config.stt.enabled;
    this.#key = recordKey(config.voice.record_key);
    this.#hearing = hearing(parts.options);
    this.#access = speechAccess(parts.options);
    this.#speaking = new Speaking({
      access: this.#access,
      tell: (line) => parts.tell(line),
      changed: () => parts.refresh(),
    });
    this.#listening = new Listening({
      settings: {
        threshold: config.voice.silence_threshold,
        silenceSeconds: config.voice.silence_duration,
        maxSeconds: config.voice.max_recording_seconds,
      },
      hearing: this.#hearing,
      recorders: () => this.#recorders,
      programs: () => this.#access.programs(),
      beep: (at, signal) => this.#beep(at === 'start' ? startBeep : endBeep, signal),
      said: (text) => this.#said(text),
      tell: (line) => parts.tell(line),
      changed: () => this.#draw(),
    });
  }

  /** What `/voice` asks for; returns what is told. */
  command(word: VoiceWord | undefined): string {
    switch (word ?? (this.#on ? 'off' : 'on')) {
      case 'on':
        return this.#turnOn();
      case 'off':
        return this.#turnOff();
      case 'tts':
        return this.#toggleSpeech();
      case 'status':
        return this.#status();
    }
  }

  /** One line above the input box; empty = none. */
  line({ dim, red, yellow }: Pick<Colors, 'dim' | 'red' | 'yellow'>): string {
    const { label } = this.#key;
    if (!this.#on) return '';
    switch (this.#listening.state) {
      case 'recording':
        return ` ${red('●')} ${this.#level.drawn} ${dim(`recording · ${label} sends it, Ctrl+C throws it away`)}`;
      case 'reading':
        return ` ${yellow('◉')} ${dim('what you said is being read')}`;
      case 'off':
        return this.#speaking.busy
          ? ` ${yellow('♪')} ${dim(`speaking · any key stops it, ${label} answers`)}`
          : dim(` ● ${label} records`);
    }
  }

  hear(event: WorkerEvent): void {
    if (event.type === 'idle') return void this.#goOn();
    if (!this.#speaks) return;
    if (event.type === 'turn_started') this.#beginAnswer();
    else if (event.type === 'text_delta') this.#speaking.add(event.text);
    else if (event.type === 'text_end' || event.type === 'turn_finished') this.#speaking.end();
    else if (event.type === 'text_reset') this.#speaking.reset();
  }

  /** The person types. */
  typed(): void {
    this.#speaking.stop();
    this.#listening.endLoop();
  }

  /** Ctrl+C and Escape: true when there was something to stop that is no turn. */
  stop(): boolean {
    const wasSpeaking = this.#speaking.stop();
    const wasListening = this.#listening.cancel();
    return wasListening || (wasSpeaking && this.#parts.isFree());
  }

  /** Tells the model that a message was spoken. */
  bring(input: TurnInput): TurnInput {
    const { content } = input;
    if (typeof content !== 'string' || !this.#spoken.delete(content)) return input;
    return { ...input, sent: `${spokenNote}\n\n${input.sent ?? content}` };
  }

  /** Nothing runs and no file is left when it resolves. */
  async close(): Promise<void> {
    this.#turnOff();
    await Promise.all([this.#listening.settled(), this.#speaking.settled()]);
  }

  #turnOn(): string {
    if (this.#on) return `Voice mode is on: ${this.#key.label} records.`;
    const problem = this.#problem;
    if (problem !== undefined) return `Voice mode cannot be turned on: ${problem}.`;
    this.#on = true;
    this.#speaks = this.#settings.auto_tts && this.#speaking.problem === undefined;
    this.#parts.bind(this.#key.key, () => this.#pressed());
    return [
      `Voice mode is on${this.#speaks ? ', and answers are spoken' : ''}.`,
      ...(this.#key.problem === undefined ? [] : [this.#key.problem]),
      `${this.#key.label} begins to record; silence or ${this.#key.label} sends it. /voice tts speaks answers, /voice off ends it.`,
      ...(this.#settings.auto_tts && !this.#speaks ? [`Answers are not spoken: ${this.#speaking.problem}.`] : []),
    ].join('\n');
  }

  #turnOff(): string {
    const was = this.#on;
    this.#listening.cancel();
    this.#speaking.stop();
    if (was) this.#parts.bind(this.#key.key, undefined);
    this.#on = false;
    this.#speaks = false;
    return was ? 'Voice mode is off.' : 'Voice mode is off already.';
  }

  #toggleSpeech(): string {
    if (!this.#on) return 'Voice mode is off; /voice on turns it on.';
    const problem = this.#speaking.problem;
    if (!this.#speaks && problem !== undefined) return `Nothing can be spoken yet: ${problem}.`;
    this.#speaks = !this.#speaks;
    if (!this.#speaks) this.#speaking.stop();
    return this.#speaks ? 'Answers are spoken.' : 'Answers are not spoken any more.';
  }

  #status(): string {
    const reading = this.#hears ? this.#hearing.problem() : 'stt.enabled is false';
    const rows = {
      'Voice mode': this.#on ? 'on' : 'off',
      'Spoken answers': this.#speaks ? 'on' : 'off',
      Recording: this.#listening.state === 'recording' ? 'yes' : 'no',
      Key: this.#key.label,
      'Records with': this.#recorders[0]?.program ?? `nothing; install ${recorderHint(process.platform)}`,
      'Plays with': this.#speaking.installed[0]?.program ?? `nothing; install ${playerHint(process.platform)}`,
      Recognition: reading ?? 'ready',
      Speech: this.#speaking.problem ?? 'ready',
    };
    return Object.entries(rows)
      .map(([name, value]) => `${`${name}:`.padEnd(16)} ${value}`)
      .join('\n');
  }

  get #problem(): string | undefined {
    if (!this.#hears) return 'stt.enabled is false';
    if (this.#recorders.length === 0)
      return `no program that records is installed; install ${recorderHint(process.platform)}`;
    return this.#hearing.problem();
  }

  get #recorders(): readonly Recorder[] {
    const path = searchPathOf(this.#access.programs());
    return recorders.filter(
      ({ program, systems }) => (systems?.includes(process.platform) ?? true) && isInstalled(program, path),
    );
  }

  #pressed(): void {
    switch (this.#listening.state) {
      case 'recording':
        return this.#listening.enough();
      case 'reading':
        return this.#parts.hint('what you said is still being read');
      case 'off':
        this.#speaking.stop();
        if (this.#parts.isFree()) this.#listening.begin();
        else this.#parts.hint(`the agent is at work; ${this.#key.label} records when it is done`);
    }
  }

  #said(text: string): void {
    // A line that begins so would name a skill, and nobody says that.
    const message = text.replace(/^[/\s]+/, '');
    this.#spoken.add(message);
    if (this.#spoken.size > mostSpoken) for (const first of this.#spoken) return void this.#spoken.delete(first);
    this.#parts.said(message);
  }

  /** Whoever is speaking is not talked over. */
  #beginAnswer(): void {
    this.#speaking.begin();
    if (this.#listening.state !== 'off') this.#speaking.stop();
  }

  /** After an answer the person is listened to again. */
  async #goOn(): Promise<void> {
    await this.#speaking.settled();
    if (this.#on && this.#parts.isFree()) this.#listening.goOn();
  }

  /** Where nothing plays there is none. */
  async #beep({ hertz, count }: typeof startBeep, signal: AbortSignal): Promise<void> {
    const player = this.#speaking.installed.find(({ plays }) => plays.includes('wav'));
    if (!this.#settings.beep_enabled || player === undefined) return;
    try {
      await play(beep(hertz, count), 'wav', player, { env: this.#access.programs(), signal, seconds: beepSeconds });
    } catch {
      // The line above the input says the same.
    }
  }

  #draw(): void {
    this.#level.add(this.#listening.loudness);
    const now = Date.now();
    if (this.#listening.state === 'recording' && now - this.#drawnAt < refreshMs) return;
    this.#drawnAt = now;
    this.#parts.refresh();
  }
}
