/** The script of a route: it sees the payload, and may change it or stop the delivery. */
import { realpathSync, statSync } from 'node:fs';
import { dirname, extname, isAbsolute, join, relative, sep } from 'node:path';
import { errorMessage } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { expandTilde } from '../../config/home.ts';
import { runHelper } from '../../environments/run-helper.ts';
import { childEnvironment } from '../../safety/child-env.ts';

export interface ScriptPlace {
  readonly homePath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly mask: (text: string) => string;
  readonly signal: AbortSignal;
}

/** `why` is for the log. */
export type ScriptOutcome =
  | { readonly as: 'payload'; readonly payload: JsonValue }
  | { readonly as: 'ignored'; readonly why: string };

const maxOutput = 1_048_576;

/** Never throws: whatever goes wrong with a script stops the delivery. */
export async function runRouteScript(script: string, payload: JsonValue, place: ScriptPlace): Promise<ScriptOutcome> {
  const { homePath, env, timeoutMs, mask, signal } = place;
  const path = scriptPath(script, homePath, env);
  if (path === undefined) return ignored(`there is no script '${script}' in ${join(homePath, 'scripts')}`);
  try {
    const run = await runHelper(programFor(path), [path], {
      env: childEnvironment(env),
      cwd: dirname(path),
      input: JSON.stringify(payload),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      maxBytes: maxOutput,
    });
    if (run.code !== 0) return ignored(`it ended with ${run.code}: ${mask(run.stderr).trim().slice(0, 300)}`);
    return readOutput(mask(run.stdout).trim(), payload);
  } catch (error) {
    return ignored(mask(errorMessage(error)));
  }
}

/** Links lead nowhere else: what is run lies in the folder `scripts` of the home. */
function scriptPath(
  script: string,
  homePath: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  try {
    const folder = realpathSync(join(homePath, 'scripts'));
    const named = expandTilde(script, env);
    const path = realpathSync(isAbsolute(named) ? named : join(folder, named));
    const inside = relative(folder, path);
    const isInside = inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
    return isInside && statSync(path).isFile() ? path : undefined;
  } catch {
    // It is not there.
    return undefined;
  }
}

function programFor(path: string): string {
  const ending = extname(path).toLowerCase();
  if (['.sh', '.bash'].includes(ending)) return 'bash';
  return ['.js', '.mjs', '.ts'].includes(ending) ? process.execPath : 'python3';
}

function readOutput(output: string, payload: JsonValue): ScriptOutcome {
  if (output === '' || output === '[SILENT]') return ignored('it printed nothing');
  const value = parseJson(output);
  if (value === undefined) return { as: 'payload', payload: withOutput(payload, output) };
  if (!isJsonObject(value)) return ignored('it printed JSON that is no object');
  if (value['[SILENT]'] === true || value['__hermes_ignore__'] === true) return ignored('it says so');
  return { as: 'payload', payload: value };
}

function withOutput(payload: JsonValue, output: string): JsonObject {
  return { ...(isJsonObject(payload) ? payload : { payload }), script_output: output };
}

function ignored(why: string): ScriptOutcome {
  return { as: 'ignored', why };
}
