/**
 * Commands over a service that only runs a short text and returns what it printed: no input, no stream. What a command
 * reads goes over as base64; what it writes is kept in files there and fetched with calls that wait until there is more.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../lib/errors.ts';
import { HostLostError, type HostEnd, type HostRun } from './host.ts';
import { awayText, lookText, type Position, sliceBytes, startText } from './polled-text.ts';

/** One call of the service. */
export interface ShortCalls {
  /** For messages. */
  readonly name: string;
  /**
   * Runs text of a POSIX shell, and resolves with what it printed. Rejects with `BriefFailure` when it is worth trying
   * once more, and else with what people are to be told.
   */
  run(text: string, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<string>;
  /** Puts a text into a file whose directory is there. */
  upload(path: string, text: string, signal: AbortSignal): Promise<void>;
}

/** The service did not answer this time. */
export class BriefFailure extends Error {}

export interface PolledOptions {
  /** Waits between the tries of a call, in milliseconds. */
  readonly retryWaitsMs?: readonly number[];
}

/** Input beyond that goes over as a file: shells read text that is piped to them byte by byte. */
const maxInlineBytes = 64_000;
/** How long one look waits for more, in seconds; the connection may take that and this much longer. */
const lookSeconds = 15;
const lookSpareMs = 30_000;
const maxComplaintChars = 4000;

export class PolledCommands {
  readonly #calls: ShortCalls;
  readonly #retryWaitsMs: readonly number[];
  /** Directories of commands, and whether nobody listens to them any more: those are taken away with the next one. */
  readonly #directories = new Map<string, boolean>();

  constructor(calls: ShortCalls, { retryWaitsMs = [500, 1000, 2000] }: PolledOptions = {}) {
    this.#calls = calls;
    this.#retryWaitsMs = retryWaitsMs;
  }

  /** As `RemoteHost.exec`. */
  async exec(command: string, run: HostRun): Promise<HostEnd> {
    const deadline = AbortSignal.timeout(run.timeoutMs);
    const signal = AbortSignal.any([run.signal, deadline]);
    const directory = `/tmp/hermes-run-${randomBytes(12).toString('hex')}`;
    this.#directories.set(directory, false);
    try {
      return await this.#follow(directory, command, run, signal);
    } finally {
      this.#directories.set(directory, true);
    }
  }

  async #follow(directory: string, command: string, run: HostRun, signal: AbortSignal): Promise<HostEnd> {
    const encoded = Buffer.from(run.input).toString('base64');
    const isInline = encoded.length <= maxInlineBytes;
    if (!isInline) await this.#upload(directory, encoded, signal);
    const done = [...this.#directories.keys()].filter((path) => this.#directories.get(path));
    const start = startText({ directory, command, done, ...(isInline ? { input: encoded } : {}) });
    let position: Position = { part: 0, offset: 0 };
    let look = this.#read(await this.#call(`${start}${lookText(directory, position, lookSeconds)}`, signal), true);
    for (const path of done) this.#directories.delete(path);
    for (;;) {
      if (look.bytes.length > 0) run.onOutput(look.bytes);
      const isWhole = look.bytes.length < sliceBytes;
      if (look.state === 'end' && isWhole) return { exitCode: look.status, complaint: look.complaint };
      const isNext = look.state === 'part' && isWhole;
      position = isNext
        ? { part: position.part + 1, offset: 0 }
        : { part: position.part, offset: position.offset + look.bytes.length };
      look = this.#read(await this.#call(lookText(directory, position, lookSeconds), signal), false);
    }
  }

  /** After the last command. */
  async clean(signal: AbortSignal): Promise<void> {
    if (this.#directories.size > 0) await this.#call(awayText([...this.#directories.keys()]), signal);
  }

  /** The directory is made first: what is in it is nobody else's business. */
  async #upload(directory: string, encoded: string, signal: AbortSignal): Promise<void> {
    await this.#call(`umask 077; mkdir -p ${directory}.in`, signal);
    await this.#again(signal, () => this.#calls.upload(`${directory}.in/base64`, encoded, signal));
  }

  async #call(text: string, signal: AbortSignal): Promise<string> {
    const timeoutMs = lookSeconds * 1000 + lookSpareMs;
    return await this.#again(signal, () => this.#calls.run(text, { timeoutMs, signal }));
  }

  /** Each call does the same however often it is made, so one whose answer was lost is made once more. */
  async #again<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    for (const wait of [...this.#retryWaitsMs, undefined]) {
      signal.throwIfAborted();
      try {
        return await call();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof BriefFailure)) throw error;
        if (wait === undefined) throw this.#unreached(error);
        await sleep(wait, undefined, { signal });
      }
    }
    throw this.#unreached(new BriefFailure('it does not answer'));
  }

  #read(printed: string, isFirst: boolean): Look {
    const [, state, status = '', body = '', errors = ''] =
      /^=(more|part|end|gone|none) (\d*)\n([A-Za-z0-9+/=\s]*?)(?:-\n([A-Za-z0-9+/=\s]*))?$/.exec(printed.trimStart()) ??
      [];
    if (state === 'gone' || (state === 'none' && !isFirst))
      throw this.#lost('what ran there has ended, or its files are gone');
    if (state !== 'more' && state !== 'part' && state !== 'end') {
      const said = printed.trim().split('\n').at(-1)?.slice(-500) ?? '';
      throw new UserError(`${this.#calls.name} cannot run commands${said === '' ? '.' : `: ${said}`}`, {
        hint: 'It must have sh, bash, dd, base64 and a writable /tmp: take another image.',
      });
    }
    const complaint = Buffer.from(errors, 'base64').toString('utf8').slice(-maxComplaintChars).trim();
    return { state, status: Number(status), bytes: Buffer.from(body, 'base64'), complaint };
  }

  #lost(why: string): HostLostError {
    return new HostLostError(`${this.#calls.name} is gone: ${why}.`, { hint: 'The next command starts it again.' });
  }

  #unreached(error: BriefFailure): HostLostError {
    return new HostLostError(`${this.#calls.name} cannot be reached: ${error.message.replace(/\.+$/, '')}.`, {
      hint: 'Check the network, and try again.',
      cause: error,
    });
  }
}

interface Look {
  /** `part`: this part has nothing more; `end`: nothing has. */
  readonly state: 'more' | 'part' | 'end';
  readonly status: number;
  readonly bytes: Buffer;
  readonly complaint: string;
}
