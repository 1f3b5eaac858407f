/** Runs a terminal command while a chat has the terminal: as a process of its own that can ask nothing. */
import type { Variables } from '../../config/variables.ts';
import { runCaptured } from '../../environments/run-captured.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';

export interface BesideBounds {
  /** Default two minutes. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** All that it wrote. Throws `UserError` when it cannot be started, takes too long or is to end. */
export async function runBeside(
  words: readonly string[],
  env: Variables,
  { timeoutMs = 120_000, ...bounds }: BesideBounds = {},
): Promise<string> {
  const script = process.argv[1] ?? '';
  const what = `hermes ${words.join(' ')}`;
  const run = await runCaptured(process.execPath, [...process.execArgv, script, ...words], {
    env: { ...env, NO_COLOR: '1' },
    timeoutMs,
    ...bounds,
  }).catch((error: unknown) => {
    throw new UserError(`'${what}' could not be started: ${errorMessage(error)}`, { cause: error });
  });
  if (run.signal !== null) throw new UserError(`'${what}' was ended by ${run.signal}.`);
  return `${run.stdout}${run.stderr}`.trimEnd();
}
