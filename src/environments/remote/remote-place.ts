/** Another host, opened and with a directory of ours on it: what runs and reads files there goes through this. */
import { randomBytes } from 'node:crypto';
import { UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { ScriptCaller, type ScriptCall, type ScriptOutcome } from './call-script.ts';
import { endingText, type Victims } from './end-processes.ts';
import { HostLostError, type RemoteHost } from './host.ts';
import {
  type Ground,
  groundScript,
  guardScript,
  launcher,
  scriptInput,
  type Snapshot,
  snapshotScript,
  workScript,
} from './script-text.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface PlaceOptions {
  /** Where the first command starts; may begin with `~`. */
  readonly cwd: string;
  /** Of this machine, for whatever runs there. */
  readonly variables: Readonly<Record<string, string>>;
  /** Files of the host, sourced after the login profile. */
  readonly initFiles: readonly string[];
  readonly autoSourceBashrc: boolean;
  readonly log: Log;
}

export interface ReadyPlace {
  readonly ground: Ground;
  /** The user's directory there. */
  readonly home: string;
  /** Where the first command starts. */
  readonly cwd: string;
  /** Something the model should know: shown once. */
  note: string | undefined;
}

export interface Work {
  readonly stdin?: Uint8Array;
  readonly signal?: AbortSignal;
  /** Default one minute. */
  readonly timeoutMs?: number;
  /** What is printed beyond that is a failure. Default 100 MB. */
  readonly maxBytes?: number;
}

const workLimitMs = 60_000;
const maxWorkBytes = 100_000_000;
const snapshotLimitMs = 30_000;

export class RemotePlace {
  readonly host: RemoteHost;
  readonly #options: PlaceOptions;
  readonly #caller: ScriptCaller;
  readonly #closed = new AbortController();
  #opening: Promise<ReadyPlace> | undefined;
  #present: ReadyPlace | undefined;
  #dismissGuard: (() => void) | undefined;

  constructor(host: RemoteHost, options: PlaceOptions) {
    this.host = host;
    this.#options = options;
    this.#caller = new ScriptCaller(host);
  }

  /** What is known since the first opening. */
  get present(): ReadyPlace | undefined {
    return this.#present;
  }

  /** Opens the host when it is not open, and makes it ready. */
  async ready(signal: AbortSignal): Promise<ReadyPlace> {
    this.refuseWhenClosed();
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return await unlessAborted(this.#opening, signal);
  }

  /** Runs a script of ours; after a loss the host is opened anew with the next one. */
  async call(call: ScriptCall): Promise<ScriptOutcome> {
    try {
      return await this.#caller.call(call);
    } catch (error) {
      if (error instanceof HostLostError) this.#opening = undefined;
      throw error;
    }
  }

  /**
   * Work of our own: shell text that prints its answer to fd 187.
   * @returns its exit status and what it printed
   */
  async work(body: string, options: Work = {}): Promise<{ readonly status: number; readonly output: Buffer }> {
    const { stdin, timeoutMs = workLimitMs, maxBytes = maxWorkBytes } = options;
    const limit = new AbortController();
    const deadline = AbortSignal.timeout(timeoutMs);
    const given = options.signal === undefined ? [] : [options.signal];
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      const { ended } = await this.call({
        script: (secret) => workScript(secret, body),
        ...(stdin === undefined ? {} : { stdin }),
        timeoutMs,
        signal: AbortSignal.any([limit.signal, deadline, ...given]),
        onBytes: (bytes) => {
          size += bytes.length;
          if (size > maxBytes) limit.abort();
          else chunks.push(bytes);
        },
      });
      if (ended === undefined) throw new UserError(`${this.host.name} ended a command of ours before its end.`);
      return { status: ended.status, output: Buffer.concat(chunks) };
    } catch (error) {
      if (limit.signal.aborted) throw new UserError(`${this.host.name}: more than ${maxBytes} bytes to read.`);
      if (deadline.aborted) throw new HostLostError(`${this.host.name} did not answer within ${timeoutMs / 1000} s.`);
      throw error;
    }
  }

  /** Resolves when they are gone; false when that cannot be said. */
  async endProcesses(victims: Victims): Promise<boolean> {
    const timeoutMs = victims.graceMs + 10_000;
    try {
      const { status } = await this.work(endingText(victims), { timeoutMs });
      return status === 0;
    } catch (error) {
      this.#options.log.warning(`${this.host.name}: could not end what runs there`, error);
      return false;
    }
  }

  refuseWhenClosed(): void {
    if (this.#closed.signal.aborted) throw new UserError('The terminal environment of this session is closed.');
  }

  /** Aborted when the place is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Nothing new is started from now on. */
  beginClosing(): void {
    this.#closed.abort();
  }

  /** Ends everything that was started there and takes our directory away. */
  async close(): Promise<void> {
    this.#closed.abort();
    // Whoever asked for that opening has been told why it failed.
    await this.#opening?.catch(() => undefined);
    if (this.#opening !== undefined && this.#present !== undefined) {
      const { ground } = this.#present;
      await this.endProcesses({ mark: ground.mark, graceMs: 1000 });
      await this.work(`rm -rf -- '${ground.directory}'`, { timeoutMs: 10_000 }).catch((error: unknown) =>
        this.#options.log.debug(`${this.host.name}: our directory stays there`, error),
      );
    }
    this.#caller.release();
    this.#dismissGuard?.();
    await this.host.close();
  }

  async #open(): Promise<ReadyPlace> {
    await this.host.open(this.#closed.signal);
    const before = this.#present;
    if (before !== undefined && (await this.#isThere(before))) return before;
    const place = await this.#makeGround();
    this.#guard(place);
    if (before !== undefined) place.note = `${this.host.name} was made anew: what was exported before is lost.`;
    this.#present = place;
    return place;
  }

  /** Ends what runs there when this process is killed. */
  #guard({ ground }: ReadyPlace): void {
    this.#dismissGuard?.();
    const ending = endingText({ mark: ground.mark, graceMs: 1000 });
    this.#dismissGuard = this.host.hold?.(launcher, scriptInput(guardScript(ground, ending), new Uint8Array()));
  }

  async #isThere({ ground }: ReadyPlace): Promise<boolean> {
    const { status } = await this.work(`[ -d '${ground.directory}' ]`);
    return status === 0;
  }

  async #makeGround(): Promise<ReadyPlace> {
    const { cwd, variables, initFiles, autoSourceBashrc, log } = this.#options;
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(workLimitMs)]);
    const { ended, end } = await this.call({
      script: (secret) => groundScript(secret, cwd),
      timeoutMs: workLimitMs,
      signal,
    });
    const [directory, home, start] = ended?.text.split('\n') ?? [];
    if (directory === undefined || home === undefined || start === undefined) throw this.#cannotStart(end);
    const ground = { directory, mark: `HERMES_PLACE=${randomBytes(12).toString('hex')}` };
    const bashrc = autoSourceBashrc && initFiles.length === 0 ? ['~/.bashrc'] : [];
    const read = await this.#keepStart(ground, { variables, initFiles: [...bashrc, ...initFiles] });
    if (!read) {
      log.warning(`${this.host.name}: the start-up files ended or blocked the shell; going on without them`);
      await this.#keepStart(ground, { variables, initFiles: undefined });
    }
    const note = read
      ? undefined
      : 'The shell start-up files ended or blocked the shell, so commands run without them.';
    return { ground, home, cwd: start, note };
  }

  async #keepStart(ground: Ground, snapshot: Snapshot): Promise<boolean> {
    const limit = AbortSignal.timeout(snapshotLimitMs);
    try {
      const { ended } = await this.call({
        script: (secret) => snapshotScript(ground, secret, snapshot),
        timeoutMs: snapshotLimitMs + 10_000,
        signal: AbortSignal.any([this.#closed.signal, limit]),
      });
      return ended?.status === 0;
    } catch (error) {
      if (!limit.aborted) throw error;
      await this.endProcesses({ mark: ground.mark, graceMs: 100 });
      return false;
    }
  }

  #cannotStart(end: ScriptOutcome['end']): UserError {
    const said = end === undefined || end.complaint === '' ? '' : `: ${end.complaint}`;
    if (end?.exitCode === 127) {
      return new UserError(`${this.host.name} has no bash, and commands need it${said}`, {
        hint: 'Install bash there, or take another image.',
      });
    }
    return new UserError(`${this.host.name} cannot run commands (exit code ${end?.exitCode ?? 'unknown'})${said}`, {
      hint: 'It must have bash, base64 and a writable temporary directory.',
    });
  }
}
