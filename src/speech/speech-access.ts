/** How speech reaches the world: what the runtime hands it. Nothing is opened before something is spoken. */
import type { SpeechOutput } from '../config/speech-output.ts';
import type { Connections } from '../lib/connections.ts';
import type { Proxies } from '../lib/proxies.ts';
import type { SideRequest } from '../llm/side-task.ts';
import type { AddedSpeaker } from './added-speaker.ts';

export interface SpeechLogin {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly key: string;
  /**
   * To be told once how a request with it went, with the status of a refusal; true when the next login is another one to
   * try.
   */
  report(outcome: 'ok' | { readonly reason: string; readonly status?: number }, signal: AbortSignal): Promise<boolean>;
}

export interface SpeechAccess {
  readonly output: SpeechOutput;
  /** Of plug-ins. */
  readonly added?: readonly AddedSpeaker[];
  /** Absolute. */
  readonly homePath: string;
  /** The home of the user, which `~` stands for. */
  readonly userHome: string;
  /** For services; opened with the first request. */
  connections(): Pick<Connections, 'send'>;
  readonly proxies: Proxies | undefined;
  /** All that programs get to see; holds no key. */
  programs(): Readonly<Record<string, string>>;
  /** The login of the speaker; undefined when it is no good any more. */
  login(signal: AbortSignal): Promise<SpeechLogin | undefined>;
  /** Asks the model of `auxiliary.tts_audio_tags`. Rejects where none answers, and when the signal aborts. */
  ask(request: SideRequest, signal: AbortSignal): Promise<string>;
}
