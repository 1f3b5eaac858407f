/** What a place that is not this machine must be able to do; everything else is built on it. */
import type { Environment } from '../environment.ts';
import { UserError } from '../../lib/errors.ts';

/** How one command line is run there. */
export interface HostRun {
  /** Everything the command reads, to its end. */
  readonly input: Uint8Array;
  /** Nobody listens after that; what runs there is ended by whoever called, with a command of its own. */
  readonly timeoutMs: number;
  /** Stops listening at once. What runs there goes on. */
  readonly signal: AbortSignal;
  /** What the command writes, byte for byte and as it comes. */
  onOutput(bytes: Buffer): void;
}

export interface HostEnd {
  /** Of the command. */
  readonly exitCode: number;
  /** What the program or service that carries commands said of itself, bounded: for messages to people. */
  readonly complaint: string;
}

/**
 * One other place. Must run several commands at once: a command is ended by another one. Must reject with
 * `HostLostError` when the place cannot be reached or went away, and never run a command twice.
 *
 * @example
 * await host.open(signal);
 * const { exitCode } = await host.exec('cat >/tmp/a', { input, timeoutMs: 10_000, signal, onOutput: () => undefined });
 */
export interface RemoteHost {
  readonly kind: Exclude<Environment['kind'], 'local'>;
  /** For messages, such as `ssh me@example.org`. */
  readonly name: string;
  /** Connects, makes or wakes it. Called before the first command, and again after a loss. */
  open(signal: AbortSignal): Promise<void>;
  /** Runs one line of POSIX shell text with bash on its search path. The line is short and holds no secret; `input` may be long. */
  exec(command: string, run: HostRun): Promise<HostEnd>;
  /**
   * Runs a command whose input stays open as long as this process lives, and is ended with the one byte that the returned
   * function sends. For hosts to which the line cannot break by itself; must not keep this process alive.
   */
  hold?(command: string, input: Uint8Array): () => void;
  /** After the last command: leaves it as the settings want it left. */
  close(): Promise<void>;
}

/** The place cannot be reached, or went away while a command ran. */
export class HostLostError extends UserError {
  override readonly name = 'HostLostError';
}
