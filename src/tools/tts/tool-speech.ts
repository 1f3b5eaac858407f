/** What a session speaks with. */
import type { SpeechAccess } from '../../speech/speech-access.ts';

export interface ToolSpeech {
  readonly access: SpeechAccess;
  /** Where what is said is heard: it decides which kind of file is made. */
  readonly surface: string;
}
