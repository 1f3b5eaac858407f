/** A running bubblewrap sandbox: the words that make a program start in it, and covering more of the machine later. */
import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { isRunning } from '../../../lib/is-running.ts';
import { runCaptured } from '../../run-captured.ts';
import type { Cover } from './bubblewrap-arguments.ts';
import { withoutInherited } from './inherited-files.ts';
import { withoutKeyring } from './keyring.ts';
import type { Sandbox } from './sandbox.ts';

/** The system's programs that make a sandbox, as absolute paths. */
export interface SandboxPrograms {
  readonly bwrap: string;
  readonly nsenter: string;
  readonly setpriv: string;
  readonly unshare: string;
  readonly mount: string;
  readonly sh: string;
  /** Makes terminals; absent where the system has none. */
  readonly script?: string;
  /** Parts from the keyring of the login; absent where the system has none. */
  readonly perl?: string;
}

/** Kinds of namespaces as `/proc/<pid>/ns` names them, with nsenter's options. */
export const namespaceOptions = {
  user: '--user',
  mnt: '--mount',
  pid: '--pid',
  ipc: '--ipc',
  uts: '--uts',
  cgroup: '--cgroup',
  net: '--net',
} as const;

/** File descriptors that hold namespaces: their numbers do not pass to others when the sandbox ends. */
export type Namespaces = Readonly<Partial<Record<keyof typeof namespaceOptions, number>>>;

/** Where the helpers of a sandbox look for programs. */
export const systemPath = '/usr/sbin:/usr/bin:/sbin:/bin';

const coverLimitMs = 10_000;

export class LinuxSandbox implements Sandbox {
  /** The first process. */
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #programs: SandboxPrograms;
  readonly #namespaces: Namespaces;
  #ended = false;

  constructor(child: ChildProcess, programs: SandboxPrograms, pid: number, namespaces: Namespaces) {
    this.pid = pid;
    this.#child = child;
    this.#programs = programs;
    this.#namespaces = namespaces;
    child.once('exit', () => this.#end());
    if (child.exitCode !== null || child.signalCode !== null) this.#end();
  }

  get alive(): boolean {
    // Somebody may have killed it just now, and bubblewrap not ended yet.
    return !this.#ended && isRunning(this.pid);
  }

  get terminalMaker(): string | undefined {
    return this.#programs.script;
  }

  prefix(highest: number): readonly string[] {
    const { nsenter, setpriv } = this.#programs;
    // Who is not root has lost all capabilities with the program before, and may not ask for this.
    const bounds = process.getuid?.() === 0 ? ['--bounding-set=-all', '--inh-caps=-all'] : [];
    return [
      ...this.#enterAsOwner(highest),
      nsenter,
      '--user=/proc/1/ns/user',
      '--preserve-credentials',
      '--',
      setpriv,
      '--no-new-privs',
      ...bounds,
      '--',
    ];
  }

  async cover({ how, place }: Cover): Promise<void> {
    const [program, ...words] = this.#enterAsOwner(2);
    if (program === undefined) return;
    const { mount, sh } = this.#programs;
    const text = how === 'hidden' ? (place.kind === 'directory' ? hideFolder : hideFile) : keep;
    const args = [...words, sh, '-c', text, 'cover', mount, place.path];
    const { code, stderr } = await runCaptured(program, args, { env: { PATH: systemPath }, timeoutMs: coverLimitMs });
    if (code !== 0) throw new Error(`${place.path} could not be kept from a running sandbox: ${stderr.trim()}`);
  }

  close(): void {
    if (this.#ended) return;
    try {
      process.kill(this.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
    this.#child.kill('SIGKILL');
    this.#end();
  }

  #enterAsOwner(highest: number): readonly string[] {
    const entries = Object.entries(this.#namespaces);
    const options = Object.entries(namespaceOptions).flatMap(([kind, option]) =>
      entries.filter(([name]) => name === kind).map(([, fd]) => `${option}=/proc/${process.pid}/fd/${fd}`),
    );
    const first = [...withoutKeyring(this.#programs.perl), ...withoutInherited(highest)];
    return [...first, this.#programs.nsenter, ...options, '--preserve-credentials', '--'];
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const fd of Object.values(this.#namespaces)) closeSync(fd);
    for (const stream of this.#child.stdio) stream?.destroy();
  }
}

const hideFolder = '"$1" -t tmpfs -o ro,nosuid,nodev,mode=755 none "$2"';
const hideFile = '"$1" --bind /dev/null "$2"';
/** With what is mounted below, which stays as it is. */
const keep = '"$1" --rbind "$2" "$2" && "$1" -o remount,bind,ro,nosuid,nodev "$2"';
