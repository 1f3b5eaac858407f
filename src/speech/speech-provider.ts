/** A service or program that turns text into sound. */
import type { Speaker } from '../config/speech-output.ts';
import type { AudioFormat } from './audio-format.ts';
import type { SpeechAccess } from './speech-access.ts';

export interface SpeechRequest {
  /** Plain, not empty, no longer than `maxCharacters`. */
  readonly text: string;
  /** One of `formats`. */
  readonly format: AudioFormat;
  /** Its settings, its address and its key. */
  readonly speaker: Speaker;
}

/**
 * Must: reject with a `UserError` in one line when nothing is spoken, and with the signal's reason; bound what it reads.
 * Must not: send its key anywhere but to `speaker.baseUrl` (a login: where it says), say the same text twice, look at the environment.
 */
export interface SpeechProvider {
  /** What it makes by itself, the usual one first. `ogg` holds Opus. */
  formats(speaker: Speaker): readonly [AudioFormat, ...AudioFormat[]];
  /** What it takes at once; longer texts are cut. */
  maxCharacters(speaker: Speaker): number;
  /** Sound of the format that was asked for, or another with its format. */
  speak(
    request: SpeechRequest,
    access: SpeechAccess,
    signal: AbortSignal,
  ): Promise<Uint8Array | { readonly bytes: Uint8Array; readonly format: AudioFormat }>;
}
