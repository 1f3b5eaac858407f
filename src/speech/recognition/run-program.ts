/** Runs a program that hears, to its end, and reads what it wrote. */
import { readFile, stat } from 'node:fs/promises';
import { runHelper } from '../../environments/run-helper.ts';
import { errorCode, UserError } from '../../lib/errors.ts';
import type { RecogniserAccess } from './recogniser.ts';

const maxOutputBytes = 5_000_000;
const maxTextBytes = 1_000_000;
/** What went wrong mostly stands at the end. */
const maxTold = 200;

/** What it printed. Rejects with a `UserError` when it is missing or ends badly, and with the signal's reason, after which it is gone. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { programs }: Pick<RecogniserAccess, 'programs'>,
  signal: AbortSignal,
): Promise<string> {
  if (process.platform === 'win32') throw new UserError('programs that hear are not run on Windows');
  const options = { env: programs(), signal, maxBytes: maxOutputBytes };
  const { code, stdout, stderr } = await runHelper(file, args, options).catch((error: unknown) => {
    throw errorCode(error) === 'ENOENT' ? new UserError(`${file} is not installed`, { cause: error }) : error;
  });
  if (code === 0) return stdout;
  const said = (stderr.trim() || stdout.trim() || 'it said nothing').slice(-maxTold);
  throw new UserError(`it ended with ${code ?? 'a signal'}: ${said}`);
}

/** Undefined for a file that is not there. */
export async function textAt(path: string): Promise<string | undefined> {
  try {
    if ((await stat(path)).size > maxTextBytes) throw new UserError('its text is too long');
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
