/** A desktop of its own for a test: an X server without a screen, a message bus, and accessibility. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';

export interface TestDesktop {
  /** What programs on it need, and nothing else. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder that goes with it; the home of its programs. */
  readonly folder: string;
  /** Starts a program on it. */
  start(command: string, ...args: string[]): ChildProcess;
}

const launcher = '/usr/libexec/at-spi-bus-launcher';

/** What is missing on this machine, as a reason to skip. */
export function missingPrograms(programs: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const isThere = (name: string) => folders.some((folder) => existsSync(join(folder, name)));
  const missing = ['Xvfb', 'dbus-daemon', ...programs].filter((name) => !isThere(name));
  if (!existsSync(launcher)) missing.push(launcher);
  return missing.length === 0 ? undefined : `this machine has no ${missing.join(', ')}`;
}

export async function startDesktop(t: TestContext): Promise<TestDesktop> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-test-desktop-'));
  const started: ChildProcess[] = [];
  t.after(async () => {
    for (const child of started.toReversed()) await ended(child);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    LANG: 'C.UTF-8',
    XDG_RUNTIME_DIR: join(folder, 'run'),
    GTK_MODULES: 'gail:atk-bridge',
    // Settings are kept in memory: nothing of a person is read or changed.
    GSETTINGS_BACKEND: 'memory',
  };
  mkdirSync(join(folder, 'run'), { mode: 0o700 });
  const start = (command: string, args: readonly string[], stdout: 'ignore' | 'pipe' = 'ignore'): ChildProcess => {
    // In a group of its own: buses start programs of their own.
    const child = spawn(command, args, { env, cwd: folder, detached: true, stdio: ['ignore', stdout, 'ignore'] });
    started.push(child);
    return child;
  };
  const screen = start('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], 'pipe');
  env['DISPLAY'] = `:${await firstLine(screen.stdout)}`;
  const bus = start('dbus-daemon', ['--session', '--print-address=1', '--nofork'], 'pipe');
  env['DBUS_SESSION_BUS_ADDRESS'] = await firstLine(bus.stdout);
  start(launcher, ['--launch-immediately']);
  return { env, folder, start: (command, ...args) => start(command, args) };
}

async function firstLine(stream: Readable | null): Promise<string> {
  let text = '';
  for await (const piece of stream ?? []) {
    text += String(piece);
    const [line = ''] = text.split('\n');
    // Leaving the loop would close the pipe, on which the program goes on to write.
    if (text.includes('\n')) return stream?.resume(), line.trim();
  }
  throw new Error('the program ended before it said where it listens');
}

/** Ends it with what it has started. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const isGone = child.exitCode !== null || child.signalCode !== null;
  const gone = isGone ? undefined : new Promise((resolve) => child.once('exit', resolve));
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody of the group is left.
  }
  await gone;
}
