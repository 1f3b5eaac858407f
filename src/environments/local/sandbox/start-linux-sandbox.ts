/** Starts a bubblewrap sandbox, with a clear word where it does not start. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { errorMessage, UserError } from '../../../lib/errors.ts';
import { runCaptured } from '../../run-captured.ts';
import { unrefStream } from '../supervisor.ts';
import { withoutInherited } from './inherited-files.ts';
import { withoutKeyring } from './keyring.ts';
import { LinuxSandbox, type Namespaces, namespaceOptions, type SandboxPrograms, systemPath } from './linux-sandbox.ts';

export interface SandboxStartOptions {
  readonly programs: SandboxPrograms;
  /** What bubblewrap mounts, in its words. */
  readonly layout: readonly string[];
  /** False: a network of its own, in which there is nobody else. */
  readonly sharesNetwork: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Two user namespaces lie in each other. The outer one owns mounts and processes; only we enter it. Commands run in the
 * inner one, with the ids of the person ($1, $2) and without any right over the outer one. The first process waits and
 * buries orphans. Being number 1 inside, it cannot be killed from there.
 */
const firstProcess = `
"$3" --make-rprivate / || exit 1
if "$3" -o remount,bind,rw /proc/sys 2>/dev/null; then
  echo 1 >/proc/sys/user/max_user_namespaces
  "$3" -o remount,bind,ro /proc/sys || exit 1
fi
echo ready
read -r go || exit 1
exec "$4" --user --map-user="$1" --map-group="$2" -- \\
  "$5" --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- \\
  "$6" -c 'echo inside; exec </dev/null >/dev/null 2>&1; while :; do sleep 1000000 & wait; done'
`;
const isolation = (
  '--unshare-user --uid 0 --gid 0 --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try ' +
  '--die-with-parent --new-session --as-pid-1 --cap-drop ALL ' +
  '--cap-add CAP_SYS_ADMIN --cap-add CAP_SYS_RESOURCE --cap-add CAP_SETPCAP --cap-add CAP_SETFCAP'
).split(' ');
const maxTextChars = 4000;

/** @throws UserError that says why it does not start */
export async function startLinuxSandbox(options: SandboxStartOptions): Promise<LinuxSandbox> {
  const { programs, layout, sharesNetwork } = options;
  const { bwrap, sh, mount, unshare, setpriv, perl } = programs;
  const ids = [String(process.getuid?.()), String(process.getgid?.())];
  const args = [
    ...isolation,
    ...(sharesNetwork ? [] : ['--unshare-net']),
    ...['--info-fd', '3'].concat(layout),
    ...['--', sh, '-c', firstProcess, 'sandbox'].concat(ids, mount, unshare, setpriv, sh),
  ];
  const [program = bwrap, ...rest] = [...withoutKeyring(perl), ...withoutInherited(3), bwrap, ...args];
  const child = spawn(program, rest, {
    detached: true,
    cwd: '/',
    env: { PATH: systemPath },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const words = new StartWords(child, AbortSignal.any([deadline, options.signal]));
  try {
    return await finishStart(words, options);
  } catch (error) {
    child.kill('SIGKILL');
    throw new UserError(
      deadline.aborted
        ? `The sandbox for commands did not start within ${options.timeoutMs / 1000} seconds.`
        : `The sandbox for commands does not start: ${errorMessage(error)}`,
      { cause: error },
    );
  } finally {
    for (const stream of child.stdio) unrefStream(stream);
    child.unref();
  }
}

async function finishStart(
  words: StartWords,
  { programs, sharesNetwork, timeoutMs }: SandboxStartOptions,
): Promise<LinuxSandbox> {
  const pid = await words.readyAs();
  const namespaces: Record<string, number> = {};
  try {
    for (const kind of Object.keys(namespaceOptions)) {
      if (kind !== 'net' || !sharesNetwork) namespaces[kind] = openSync(`/proc/${pid}/ns/${kind}`, 'r');
    }
    words.go();
    await words.inside();
  } catch (error) {
    for (const fd of Object.values(namespaces)) closeSync(fd);
    throw error;
  }
  const sandbox = new LinuxSandbox(words.child, programs, pid, namespaces satisfies Namespaces);
  await tryEntrance(sandbox, programs.sh, timeoutMs);
  return sandbox;
}

/** What cannot be entered is no sandbox: better known now than with the first command. */
async function tryEntrance(sandbox: LinuxSandbox, sh: string, timeoutMs: number): Promise<void> {
  const [program, ...args] = [...sandbox.prefix(2), sh, '-c', 'exit 0'];
  const { code, stderr } = await runCaptured(program, args, { env: { PATH: systemPath }, timeoutMs });
  if (code === 0) return;
  sandbox.close();
  throw new Error(`nothing can be started in it (${stderr.trim() || `exit code ${code}`})`);
}

/** What the starting sandbox says, and what we say to it. */
class StartWords {
  readonly child: ChildProcess;
  readonly #signal: AbortSignal;
  readonly #text = { out: '', errors: '', info: '' };
  readonly #ended: Promise<never>;
  #heard: () => void = () => undefined;

  constructor(child: ChildProcess, signal: AbortSignal) {
    this.child = child;
    this.#signal = signal;
    const [, , , info] = child.stdio;
    this.#collect(child.stdout, 'out');
    this.#collect(child.stderr, 'errors');
    if (info !== null && info !== undefined && 'read' in info) this.#collect(info, 'info');
    child.stdin?.on('error', () => undefined);
    this.#ended = new Promise((_resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => reject(new Error(this.#text.errors.trim() || `bwrap ended with ${code}`)));
      signal.addEventListener('abort', () => reject(new Error('it was stopped')), { once: true });
    });
    // Whoever waits hears of it; an end after the start is nobody's failure.
    this.#ended.catch(() => undefined);
  }

  /** Resolves with the number of the first process when everything is mounted. */
  async readyAs(): Promise<number> {
    await this.#until(() => this.#hasSaid('ready') && this.#pid() !== undefined);
    return this.#pid() ?? 0;
  }

  async inside(): Promise<void> {
    await this.#until(() => this.#hasSaid('inside'));
  }

  go(): void {
    this.child.stdin?.end('go\n');
  }

  async #until(condition: () => boolean): Promise<void> {
    this.#signal.throwIfAborted();
    const met = new Promise<void>((resolve) => {
      this.#heard = () => {
        if (condition()) resolve();
      };
      this.#heard();
    });
    await Promise.race([met, this.#ended]);
  }

  #hasSaid(word: string): boolean {
    return this.#text.out.split('\n').slice(0, -1).includes(word);
  }

  /** As bubblewrap gives it in its JSON. */
  #pid(): number | undefined {
    const pid = /"child-pid":\s*(\d+)\D/.exec(this.#text.info)?.[1];
    return pid === undefined ? undefined : Number(pid);
  }

  #collect(stream: Readable | null, name: 'out' | 'errors' | 'info'): void {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      this.#text[name] = (this.#text[name] + text).slice(0, maxTextChars);
      this.#heard();
    });
    stream?.on('error', () => undefined);
  }
}
