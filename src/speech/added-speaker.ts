/** Speech of a plug-in, which has its own way to whoever speaks. */
import type { PluggedSpeaker, Speaker } from '../config/speech-output.ts';
import type { AudioFormat } from './audio-format.ts';

/** Must and must not as a `SpeechProvider`. */
export interface AddedSpeaker extends PluggedSpeaker {
  formats(speaker: Speaker): readonly [AudioFormat, ...AudioFormat[]];
  maxCharacters(speaker: Speaker): number;
  /** `format` is what is wanted; what comes says what it is. */
  speak(
    request: { readonly text: string; readonly format: AudioFormat; readonly speaker: Speaker },
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly format: AudioFormat }>;
}
