/** How speech reaches the world: what the runtime hands it. Nothing is opened before something is spoken. */
import type { SpeechOutput } from '../config/speech-output.ts';
import type { Connections } from '../lib/connections.ts';
import type { Proxies } from '../lib/proxies.ts';
import type { SideRequest } from '../llm/side-task.ts';

export interface SpeechAccess {
  readonly output: SpeechOutput;
  /** Absolute. */
  readonly homePath: string;
  /** The home of the user, which `~` stands for. */
  readonly userHome: string;
  /** For services; opened with the first request. */
  connections(): Pick<Connections, 'send'>;
  readonly proxies: Proxies | undefined;
  /** All that programs get to see; holds no key. */
  programs(): Readonly<Record<string, string>>;
  /** Asks the model of `auxiliary.tts_audio_tags`. Rejects where none answers, and when the signal aborts. */
  ask(request: SideRequest, signal: AbortSignal): Promise<string>;
}
