/** Records until somebody is done speaking, with the first program that gives any sound. */
import { readProgram } from '../../environments/read-program.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { type Heard, hear, nothingHeard, type SilenceSettings } from './silence.ts';
import type { Recorder } from './recorders.ts';

export interface RecordOptions {
  /** All that the program gets to see. */
  readonly env: Readonly<Record<string, string>>;
  readonly settings: SilenceSettings;
  /** Throws the recording away. */
  readonly signal: AbortSignal;
  /** Ends the recording, which is kept. */
  readonly enough: AbortSignal;
  /** Hears how it goes on. Must not throw. */
  onHeard(heard: Heard): void;
}

export interface Recording {
  /** Bare sound. */
  readonly sound: Buffer;
  readonly heard: Heard;
}

/** A program that gives no sound for so long never will, in milliseconds. */
const patienceMs = 10_000;
const maxTold = 200;

/**
 * The program has ended when this settles. Rejects with a `UserError` in one line when none of them records, and with the
 * signal's reason.
 */
export async function record(recorders: readonly Recorder[], options: RecordOptions): Promise<Recording> {
  const problems: string[] = [];
  for (const recorder of recorders) {
    try {
      return await recordWith(recorder, options);
    } catch (error) {
      options.signal.throwIfAborted();
      problems.push(`${recorder.program}: ${errorMessage(error)}`);
    }
  }
  const told = [...new Set(problems)]
    .join('; ')
    .replace(/\s+/g, ' ')
    .slice(0, maxTold * 2);
  throw new UserError(`nothing could be recorded; is there a microphone? ${told}`);
}

/** Programs say what is wrong last. */
function lastLine(complaints: string): string | undefined {
  const line = complaints.trim().split('\n').at(-1)?.trim();
  return line === '' ? undefined : line?.slice(0, maxTold);
}

async function recordWith({ program, args }: Recorder, options: RecordOptions): Promise<Recording> {
  const { env, settings, signal, enough } = options;
  const silent = new AbortController();
  const watch = setTimeout(() => silent.abort(), patienceMs);
  const reading = readProgram(program, args, { env, signal: AbortSignal.any([signal, enough, silent.signal]) });
  const pieces: Buffer[] = [];
  let heard = nothingHeard;
  try {
    for (;;) {
      const next = await reading.next();
      if (next.done === true) {
        if (pieces.length > 0) break;
        throw new UserError(lastLine(next.value.complaints) ?? `it ended with ${next.value.code ?? 'a signal'}`);
      }
      watch.refresh();
      pieces.push(next.value);
      heard = hear(heard, next.value, settings);
      options.onHeard(heard);
      if (heard.verdict !== 'goes on') break;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (silent.signal.aborted)
      throw new UserError(`it gave no sound for ${patienceMs / 1000} seconds`, { cause: error });
    if (!enough.aborted) throw error;
  } finally {
    clearTimeout(watch);
    await reading.return({ code: null, complaints: '' });
  }
  const sound = Buffer.concat(pieces);
  return { sound: sound.subarray(0, sound.length - (sound.length % 2)), heard };
}
