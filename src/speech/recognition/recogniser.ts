/** What turns speech into text, and how it reaches the world. */
import type { PluggedHearing, PluggedRecogniser, SpeechProgram, SpeechService } from '../../config/speech-input.ts';
import type { Connections } from '../../lib/connections.ts';
import type { SpeechAccess } from '../speech-access.ts';

export interface RecogniserAccess {
  readonly connections: Pick<Connections, 'send'>;
  /** All that programs get to see; holds no key but those that the owner names. */
  programs(): Readonly<Record<string, string>>;
  /** The login of the service; undefined when it is no good any more. */
  readonly login: SpeechAccess['login'];
  /** Of plug-ins. */
  readonly added?: readonly AddedRecogniser[];
}

/** Of a plug-in. */
export interface AddedRecogniser extends PluggedRecogniser {
  /** As `AskService`. */
  hear(path: string, how: Pick<PluggedHearing, 'model' | 'language'>, signal: AbortSignal): Promise<string>;
}

/**
 * What is said in a file, empty when nothing is. Must: reject with a `UserError` when nothing can be heard, and with the signal's
 * reason; bound what it reads. Must not: send its key anywhere but to `baseUrl` (a login: where it says), send the same sound
 * twice, unless the first was refused for its login.
 */
export type AskService = (
  path: string,
  service: SpeechService,
  access: RecogniserAccess,
  signal: AbortSignal,
) => Promise<string>;

/** As above; what it started has ended when it settles. */
export type RunProgram = (
  path: string,
  program: SpeechProgram,
  access: RecogniserAccess,
  signal: AbortSignal,
) => Promise<string>;
