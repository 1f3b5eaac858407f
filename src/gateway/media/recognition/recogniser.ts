/** What turns speech into text, and how it reaches the world. */
import type { SpeechService } from '../../../config/speech-input.ts';
import type { Connections } from '../../../lib/connections.ts';

export interface RecogniserAccess {
  readonly connections: Pick<Connections, 'send'>;
}

/**
 * What is said in a file, empty when nothing is. Must: reject with a `UserError` when nothing can be heard, and with the signal's
 * reason; bound what it reads. Must not: send its key anywhere but to `baseUrl`, send the same sound twice.
 */
export type AskService = (
  path: string,
  service: SpeechService,
  access: RecogniserAccess,
  signal: AbortSignal,
) => Promise<string>;
