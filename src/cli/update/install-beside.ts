/** `hermes update` for a gateway that has ended: as a process of its own, with what it says in `logs/update.log`. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { runProgram } from '../../environments/local/run-program.ts';
import { errorMessage } from '../../lib/errors.ts';
import { LogFile } from '../../lib/log-file.ts';
import type { CliContext } from '../command.ts';

export interface Installed {
  readonly ok: boolean;
  /** What to tell of it. */
  readonly words: string;
}

const timeoutMs = 30 * 60_000;
const maxOutput = 1_000_000;
const mostWords = 600;
const logLimits = { maxBytes: 1024 * 1024, backups: 1 };

/** Never rejects. `mask` takes secrets out of what is said of it. */
export async function installBeside({ home, env }: CliContext, mask: (text: string) => string): Promise<Installed> {
  const given = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const mark = randomUUID();
  const variables = { ...Object.fromEntries(given), NO_COLOR: '1', HERMES_RUN_ID: mark };
  const words = ['--profile', home.profile, 'update', '--yes'];
  const bounds = { cwd: home.path, timeoutMs, maxOutput, signal: AbortSignal.timeout(timeoutMs + 1000) };
  try {
    const argv = [process.execPath, ...process.execArgv, process.argv[1] ?? '', ...words];
    const { output, stderr, exitCode } = await runProgram(argv, bounds, variables, mark);
    const said = mask(`${output}${stderr}`.trim());
    keep(home.path, said);
    if (exitCode === 0) return { ok: true, words: said.split('\n').findLast((line) => line.startsWith('✓')) ?? said };
    return {
      ok: false,
      words: mask(stderr.trim() === '' ? output : stderr)
        .trim()
        .slice(-mostWords),
    };
  } catch (error) {
    return { ok: false, words: mask(errorMessage(error)) };
  }
}

function keep(homePath: string, said: string): void {
  const file = new LogFile(join(homePath, 'logs', 'update.log'), logLimits);
  file.append(`${new Date().toISOString()}\n${said}\n`);
  file.flush();
}
