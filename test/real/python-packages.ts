/** Real programs from PyPI for tests: installed once into a folder, or the reason why not. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface PythonPackages {
  /** The interpreter that has them. */
  readonly python: string;
  /** A program that they bring. */
  script(name: string): string;
}

/** What an installation may take; the tests behind it have the rest of their time. */
const installMs = 180_000;

/**
 * A virtual environment with these packages, in `HERMES_TEST_VENVS` or below the temporary directory, where it stays for
 * the next run. Only ready-made wheels are installed: compiling takes longer than a test may. Returns the reason when
 * that does not work here.
 */
export async function pythonPackages(name: string, packages: readonly string[]): Promise<PythonPackages | string> {
  const folder = join(process.env['HERMES_TEST_VENVS'] ?? join(tmpdir(), 'hermes-test-venvs'), name);
  const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  const found = { python: join(bin, 'python'), script: (program: string) => join(bin, program) };
  const ready = join(folder, '.ready');
  if (existsSync(ready)) return found;
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await run('python3', ['-m', 'venv', folder], { timeout: 60_000 });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
    await run(found.python, [...pip, ...packages], { timeout: installMs });
    writeFileSync(ready, packages.join('\n'));
    return found;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n', 1);
    return `${packages.join(', ')} could not be installed from wheels: ${line.slice(0, 200)}`;
  }
}
