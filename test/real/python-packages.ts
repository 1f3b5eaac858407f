/** Real programs from PyPI for tests: installed once into a folder, or the reason why not. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installFolder, oneLine } from './install-folder.ts';

const run = promisify(execFile);

export interface PythonPackages {
  /** The interpreter that has them. */
  readonly python: string;
  /** A program that they bring. */
  script(name: string): string;
}

/** What one step of an installation may take; a machine that is slower skips the tests behind it. */
const stepMs = 300_000;
/** Installs in a quarter of pip's time: it loads files side by side and compiles nothing in advance. */
const installer = 'uv==0.13.9';

/**
 * A virtual environment with these packages, in `HERMES_TEST_VENVS` or below the temporary directory, where it stays for
 * the next run. Only ready-made wheels are installed: compiling takes longer than a test may. `alone` leaves out what
 * the packages depend on. Returns the reason when that does not work here.
 */
export async function pythonPackages(
  name: string,
  packages: readonly string[],
  { alone = false }: { readonly alone?: boolean } = {},
): Promise<PythonPackages | string> {
  const folder = installFolder(name);
  const found = programsOf(folder);
  const wanted = packages.join('\n');
  if (isReady(folder, wanted)) return found;
  try {
    const uv = await installed();
    rmSync(folder, { recursive: true, force: true });
    await run(uv, ['venv', '--quiet', '--no-project', folder], { timeout: stepMs });
    // A registry may be reached through a mirror whose certificate only the system knows.
    const install = ['pip', 'install', '--quiet', '--system-certs', '--only-binary', ':all:', '--python', found.python];
    await run(uv, [...install, ...(alone ? ['--no-deps'] : []), ...packages], { timeout: stepMs });
    writeFileSync(join(folder, '.ready'), wanted);
    return found;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return `${packages.join(', ')} could not be installed from wheels: ${oneLine(error)}`;
  }
}

/** The installer, in an environment of its own. Throws when this machine has no Python 3 with `venv`, or no PyPI. */
async function installed(): Promise<string> {
  const folder = installFolder('uv');
  const found = programsOf(folder);
  if (isReady(folder, installer)) return found.script('uv');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run('python3', ['-m', 'venv', folder], { timeout: stepMs });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
  await run(found.python, [...pip, installer], { timeout: stepMs });
  writeFileSync(join(folder, '.ready'), installer);
  return found.script('uv');
}

function programsOf(folder: string): PythonPackages {
  const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  return { python: join(bin, 'python'), script: (program) => join(bin, program) };
}

function isReady(folder: string, wanted: string): boolean {
  const ready = join(folder, '.ready');
  return existsSync(ready) && readFileSync(ready, 'utf8') === wanted;
}
