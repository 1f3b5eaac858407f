/** Runs `hermes` as people do: as a process of its own, in a home of its own, with nothing of this machine's settings. */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ModelServer } from '../fakes/model-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The built program where it is as new as the sources, else the sources: the build starts in half the time. */
export const mainFile = isBuilt() ? join(root, 'dist/main.js') : join(root, 'src/main.ts');
export const sourceFile = join(root, 'src/main.ts');

/** Shared by all starts and runs, so that only the first one compiles. */
const compileCache = join(root, 'node_modules/.cache/hermes-tests');

/** Where one test's user lives. */
export interface Place {
  /** `HERMES_HOME` */
  readonly home: string;
  /** Directory that hermes is started in. */
  readonly work: string;
  /** All that the process gets to see of an environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file of the home. */
  write(name: string, text: string | Uint8Array): string;
  read(name: string): string;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What is piped in; default: stdin is /dev/null. */
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  /** Runs as this user, where the test runs as root. */
  readonly uid?: number;
  /** The program where it must not be `mainFile`. */
  readonly main?: string;
}

/** How a process ended and what it said. */
export interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessByStdio<Writable | null, Readable, Readable>;
  /** What was written to stdout so far. */
  readonly stdout: string;
  readonly ended: Promise<Run>;
}

/** A home with a `config.yaml` that points to `server`, or an empty one. Removed after the test. */
export function makePlace(t: TestContext, server?: ModelServer, moreConfig = ''): Place {
  const base = mkdtempSync(join(tmpdir(), 'hermes-cli-'));
  t.after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const home = join(base, 'home', '.hermes');
  const work = join(base, 'work');
  for (const directory of [home, work, join(base, 'managed'), join(base, 'tmp')]) {
    mkdirSync(directory, { recursive: true });
  }
  const place: Place = {
    home,
    work,
    env: {
      HOME: dirname(home),
      HERMES_HOME: home,
      HERMES_MANAGED_DIR: join(base, 'managed'),
      TMPDIR: join(base, 'tmp'),
      PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
      NODE_COMPILE_CACHE: compileCache,
      HERMES_DISABLE_LAZY_INSTALLS: '1',
      LANG: 'C.UTF-8',
    },
    write(name, text) {
      const path = join(home, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    read: (name) => readFileSync(join(home, name), 'utf8'),
  };
  // Few tests are about the skills that come along, and bringing them takes time.
  place.write('.no-bundled-skills', '');
  if (server !== undefined) place.write('config.yaml', configFor(server) + moreConfig);
  return place;
}

/** The model section for a fake server. */
export function configFor(server: ModelServer): string {
  return `model:\n  provider: custom\n  base_url: ${server.url}\n  default: test-model\n  api_key: test-key\n`;
}

/** Starts `hermes …args` and lets it run. */
export function start(place: Place, args: readonly string[], options: StartOptions = {}): Running {
  return startProgram(process.execPath, [options.main ?? mainFile, ...args], place, options);
}

/** Runs `hermes …args` to its end. */
export function hermes(place: Place, args: readonly string[], options: StartOptions = {}): Promise<Run> {
  return start(place, args, options).ended;
}

/** A shell script in which `$node "$main" …` is hermes. */
export function shell(place: Place, script: string, options: StartOptions = {}): Promise<Run> {
  const env = { ...options.env, node: process.execPath, main: mainFile };
  return startProgram('bash', ['-c', script], place, { ...options, env }).ended;
}

function startProgram(program: string, args: readonly string[], place: Place, options: StartOptions): Running {
  const child = spawn(program, args, {
    cwd: options.cwd ?? place.work,
    env: { ...place.env, ...options.env },
    ...(options.uid === undefined || process.getuid?.() !== 0 ? {} : { uid: options.uid, gid: options.uid }),
    stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
  // A program that does not read its input is no failure of the test.
  child.stdin?.on('error', () => undefined);
  if (options.stdin !== undefined) child.stdin?.end(options.stdin);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Run>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
  });
  return {
    child,
    get stdout() {
      return stdout;
    },
    ended,
  };
}

/** The run, which ended well. */
export function ok(run: Run): Run {
  assert.deepEqual([run.code, run.signal], [0, null], run.stderr + run.stdout);
  return run;
}

/** The lines of a text without the empty ones. */
export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** True when the text shows where in the code something was thrown. */
export function hasStackTrace(text: string): boolean {
  return /^\s+at .*[:(]/m.test(text);
}

/** A file of the sources that was saved after the build makes the build another program. */
function isBuilt(): boolean {
  const built = statSync(join(root, 'dist/main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return globSync('src/**', { cwd: root }).every((path) => statSync(join(root, path)).mtimeMs <= built);
}
