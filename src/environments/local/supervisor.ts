/** A tiny process that outlives ours by a moment: when we die, however it happens, it ends what we started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../lib/log.ts';

/**
 * Reads `+<group>` and `-<group>` lines until our end of the pipe closes, then ends these process groups and every
 * process that carries our mark (`$1`), and removes the scratch directory (`$2`). It starts no program before that.
 */
const script = `
trap '' HUP INT TERM
groups=' '
while IFS= read -r line; do
  group="\${line#?}"
  case "$line" in
    +*) groups="$groups$group " ;;
    -*) case "$groups" in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
end() {
  for group in $groups; do kill -s "$1" -- "-$group"; done
  for file in $(grep -ls -- "$2" /proc/[0-9]*/environ); do
    pid="\${file#/proc/}"
    kill -s "$1" "\${pid%/environ}"
  done
}
exec 2>/dev/null
end TERM "$1"
sleep 1
end KILL "$1"
end KILL "$1"
rm -rf -- "$2"
`;

/** Watches over the process groups of one environment. */
export class Supervisor {
  readonly #child: ChildProcess;

  /**
   * @param mark text in the environment of every process to end
   * @param scratch directory to remove afterwards
   */
  constructor(mark: string, scratch: string, log: Log) {
    // A file, because a long argument would show up in everybody's `pgrep -f` and die of their `pkill -f`.
    const file = join(scratch, 'supervisor');
    writeFileSync(file, script, { mode: 0o600 });
    this.#child = spawn('/bin/sh', [file, mark, scratch], {
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // Without it commands still run; only the protection against our own sudden death is missing.
    this.#child.on('error', (error) => log.warning('commands run without a supervisor', error));
    this.#child.stdin?.on('error', (error) => log.warning('the supervisor of commands ended unexpectedly', error));
    this.#child.unref();
    unrefStream(this.#child.stdin);
  }

  watch(group: number): void {
    this.#child.stdin?.write(`+${group}\n`);
  }

  /** The group has ended: its number may soon belong to somebody else. */
  forget(group: number): void {
    this.#child.stdin?.write(`-${group}\n`);
  }

  /** Ends the supervisor; to be called when everything it watched is gone. */
  dismiss(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Keeps a stream from holding the event loop open, where the stream knows how. */
export function unrefStream(stream: unknown): void {
  if (isReferenced(stream)) stream.unref();
}

/** The opposite of `unrefStream`. */
export function refStream(stream: unknown): void {
  if (isReferenced(stream)) stream.ref();
}

function isReferenced(stream: unknown): stream is { ref(): void; unref(): void } {
  return typeof stream === 'object' && stream !== null && 'unref' in stream && 'ref' in stream;
}
