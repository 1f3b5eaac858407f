/** Runs a program that speaks, to its end. */
import { runHelper } from '../environments/run-helper.ts';
import { UserError } from '../lib/errors.ts';
import type { SpeechAccess } from './speech-access.ts';

export interface SpeechRun {
  readonly access: Pick<SpeechAccess, 'programs'>;
  readonly signal: AbortSignal;
  readonly seconds: number;
  /** What it reads; default: nothing. */
  readonly input?: string;
}

/** More of what it tells beside its work ends it. */
const maxOutputBytes = 5_000_000;

/** Rejects with a `UserError` when it ends badly or takes too long, after which nothing of it runs, and with the signal's reason. */
export async function runForSpeech(
  file: string,
  args: readonly string[],
  { access, signal, seconds, input }: SpeechRun,
): Promise<void> {
  const deadline = AbortSignal.timeout(Math.ceil(seconds * 1000));
  try {
    const { code, stdout, stderr } = await runHelper(file, args, {
      env: access.programs(),
      signal: AbortSignal.any([signal, deadline]),
      maxBytes: maxOutputBytes,
      ...(input === undefined ? {} : { input }),
    });
    if (code === 0) return;
    const said = stderr.trim() || stdout.trim() || 'it said nothing';
    throw new UserError(`it ended with ${code ?? 'a signal'}: ${said.slice(-maxSaid)}`);
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw new UserError(`it took longer than ${seconds} seconds`, { cause: error });
    throw error;
  }
}

/** What went wrong mostly stands at the end. */
const maxSaid = 250;
