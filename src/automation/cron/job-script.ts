/** Runs the script of a job: of the home alone, without secrets, ended as a whole when its time is over. */
import { dirname, extname } from 'node:path';
import { scriptPath } from '../../cron/script-path.ts';
import { runHelper } from '../../environments/run-helper.ts';
import { errorMessage } from '../../lib/errors.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { childEnvironment } from '../../safety/child-env.ts';

export interface ScriptPlace {
  readonly homePath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Where it runs; undefined: in its own folder. */
  readonly cwd: string | undefined;
  /** Takes secrets out. */
  readonly mask: (text: string) => string;
  readonly signal: AbortSignal;
}

export type ScriptRun =
  /** `text` is trimmed; `wakes` is false when the script says that there is nothing to do. */
  | { readonly ok: true; readonly text: string; readonly wakes: boolean }
  | { readonly ok: false; readonly error: string };

const maxOutput = 1_048_576;
const maxError = 2000;

/** Rejects only with the reason of `signal`. */
export async function runJobScript(name: string, place: ScriptPlace): Promise<ScriptRun> {
  const { homePath, env, timeoutMs, mask, signal } = place;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    // Looked at again: a link may lead elsewhere since the job was made.
    const path = scriptPath(homePath, name);
    const run = await runHelper(programFor(path), [path], {
      env: childEnvironment(env),
      cwd: place.cwd ?? dirname(path),
      signal: AbortSignal.any([signal, timeout]),
      maxBytes: maxOutput,
    });
    if (run.code === 0) return { ok: true, ...read(mask(run.stdout).trim()) };
    const said = (mask(run.stderr).trim() || mask(run.stdout).trim()).slice(-maxError);
    return { ok: false, error: `Script exited with code ${run.code ?? 'none'}${said === '' ? '' : `: ${said}`}` };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return { ok: false, error: `Script timed out after ${timeoutMs / 1000} s` };
    return { ok: false, error: mask(errorMessage(error)) };
  }
}

function programFor(path: string): string {
  const ending = extname(path).toLowerCase();
  if (['.sh', '.bash'].includes(ending)) return 'bash';
  return ['.js', '.mjs', '.ts'].includes(ending) ? process.execPath : 'python3';
}

/** The last line may say whether the agent is to be woken; then it is no part of the text. */
function read(output: string): { readonly text: string; readonly wakes: boolean } {
  const lines = output.split('\n');
  const gate = parseJson(lines.at(-1) ?? '');
  if (!isJsonObject(gate) || typeof gate['wakeAgent'] !== 'boolean') return { text: output, wakes: output !== '' };
  return { text: lines.slice(0, -1).join('\n').trim(), wakes: gate['wakeAgent'] };
}
