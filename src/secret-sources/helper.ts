/** One call of the program of a secret manager: what it printed, or a failure of a known kind. */
import { createHash } from 'node:crypto';
import { runHelper } from '../environments/run-helper.ts';
import { errorCode, errorMessage } from '../lib/errors.ts';
import { maskKeys } from '../lib/secrets.ts';
import { escapeForDisplay } from '../safety/display.ts';
import { kindOfOutput, SourceFailure } from './failure.ts';

export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Of all that the source does; each call has 30 seconds. */
  readonly signal: AbortSignal;
  /** What must not be repeated, whatever the program says. */
  readonly secrets: readonly string[];
  /** What to do when the program is not there. */
  readonly missingHint: string;
}

const callMs = 30_000;
/** Of what a project holds, or one value. */
const maxBytes = 8 * 1024 * 1024;
const saidCharacters = 200;

/** Standard output. Throws `SourceFailure`; when `signal` ends it, of the kind `timeout`. */
export async function callHelper({ program, args, env, signal, secrets, missingHint }: Call): Promise<string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(callMs)]);
  let run;
  try {
    run = await runHelper(program, args, { env, signal: limit, maxBytes });
  } catch (error) {
    if (limit.aborted) throw new SourceFailure('timeout', `${program} did not answer in time`);
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(errorCode(error) ?? '')) {
      throw new SourceFailure('binary_missing', `the program ${program} cannot be run`, missingHint);
    }
    throw new SourceFailure('internal', `${program}: ${errorMessage(error)}`);
  }
  if (run.code === 0) return run.stdout;
  const said = firstLine(maskKeys(run.stderr, secrets));
  const ended = run.code === null ? 'was ended by a signal' : `ended with code ${run.code}`;
  throw new SourceFailure(kindOfOutput(run.stderr), `${program} ${ended}${said === '' ? '' : `: ${said}`}`);
}

/** For keys of caches: the same for the same text, and no way back to it. */
export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function firstLine(text: string): string {
  const line = text
    .split('\n')
    .map((part) => part.trim())
    .find((part) => part !== '');
  return escapeForDisplay(line ?? '', { singleLine: true }).slice(0, saidCharacters);
}
