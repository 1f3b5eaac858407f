/** A sandbox of Modal that the tool gateway keeps: it is paid by a subscription, and its files wait there for the next one. */
import { randomBytes, randomUUID } from 'node:crypto';
import { withFileLock } from '../../lib/file-lock.ts';
import type { Log } from '../../lib/log.ts';
import { HostLostError, type HostEnd, type HostRun, type RemoteHost } from '../remote/host.ts';
import { HostUsers } from '../remote/host-users.ts';
import { BriefFailure, PolledCommands } from '../remote/polled-commands.ts';
import { type GatewayAccess, GatewayApi, SandboxGone } from './gateway-api.ts';
import { NotedSandbox } from './noted-sandbox.ts';

export interface GatewayHostOptions {
  readonly access: GatewayAccess;
  /** Names whose files are kept: letters, digits and `-`. */
  readonly task: string;
  readonly image: string;
  readonly cpus: number;
  readonly memoryMb: number;
  /** The sessions of this machine share it, and its files are kept at the end; else it is ours alone, and they are lost. */
  readonly persists: boolean;
  /** Milliseconds without a command after which the gateway ends it, should this process be gone. */
  readonly idleMs: number;
  /** A directory for notes of who uses it; on this machine. */
  readonly notes: string;
  readonly log: Log;
  /** Waits between the tries of a call. */
  readonly retryWaitsMs?: readonly number[];
}

/** As the original has it: shorter ones end a sandbox while somebody thinks. */
const leastIdleMs = 300_000;
/** Somebody of this machine may just be making it, or keeping its files. */
const lockLimitMs = 15 * 60_000;
const closeLimitMs = 180_000;
const probeLimitMs = 30_000;
/** A text that comes back without it was cut off. */
const lastLine = '=whole=';
/** What goes over as the input of one call. */
const pieceChars = 1_000_000;

export function createGatewayHost(options: GatewayHostOptions): RemoteHost {
  return new GatewayHost(options);
}

class GatewayHost implements RemoteHost {
  readonly kind = 'modal';
  readonly name: string;
  readonly #options: GatewayHostOptions;
  readonly #api: GatewayApi;
  readonly #files: string;
  readonly #users: HostUsers;
  readonly #noted: NotedSandbox;
  readonly #commands: PolledCommands;
  /** Until it is known that one was made. */
  #try = randomUUID();
  #sandbox: string | undefined;

  constructor(options: GatewayHostOptions) {
    const { access, task, persists, notes, retryWaitsMs } = options;
    this.#options = options;
    this.#api = new GatewayApi(access);
    this.#files = `${task}${persists ? '' : `-${randomBytes(4).toString('hex')}`}`;
    this.name = `the Modal sandbox ${this.#files} of the tool gateway`;
    this.#users = new HostUsers(`${notes}/${this.#files}`);
    this.#noted = new NotedSandbox(`${notes}/${this.#files}.json`, access.door.address);
    this.#commands = new PolledCommands(
      {
        name: this.name,
        run: (text, asked) => this.#run(text, asked),
        upload: (path, text, signal) => this.#upload(path, text, signal),
      },
      retryWaitsMs === undefined ? {} : { retryWaitsMs },
    );
  }

  async open(signal: AbortSignal): Promise<void> {
    try {
      await this.#alone(async () => {
        this.#users.enter();
        this.#sandbox = (await this.#present(signal)) ?? (await this.#make(signal));
      }, signal);
    } catch (error) {
      if (!(error instanceof BriefFailure)) throw error;
      throw new HostLostError(`The tool gateway cannot be reached: ${error.message.replace(/\.+$/, '')}.`, {
        hint: 'Check the network, and try again.',
        cause: error,
      });
    }
  }

  exec(command: string, run: HostRun): Promise<HostEnd> {
    return this.#commands.exec(command, run);
  }

  async close(): Promise<void> {
    const { log } = this.#options;
    const signal = AbortSignal.timeout(closeLimitMs);
    try {
      await this.#alone(() => this.#leave(signal), signal);
    } catch (error) {
      log.warning(`${this.name} could not be ended: what changed in it may be lost`, error);
    }
  }

  /** One that comes while the last one leaves waits until the files are kept. */
  async #leave(signal: AbortSignal): Promise<void> {
    const isLast = this.#users.leave();
    const sandbox = this.#sandbox;
    if (sandbox === undefined || !isLast) return;
    const { persists, log } = this.#options;
    if (persists) {
      await this.#commands
        .clean(AbortSignal.any([signal, AbortSignal.timeout(probeLimitMs)]))
        .catch((error: unknown) => log.debug(`${this.name}: files of commands stay there`, error));
    }
    await this.#api.end(sandbox, { keepsFiles: persists, signal });
    this.#noted.clear();
  }

  async #alone(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { persists, notes } = this.#options;
    if (!persists) return await work();
    await withFileLock(`${notes}/${this.#files}.lock`, work, { timeoutMs: lockLimitMs, signal });
  }

  /** Ours, or the one of another session, when it still runs. */
  async #present(signal: AbortSignal): Promise<string | undefined> {
    const known = this.#options.persists ? this.#noted.get() : this.#sandbox;
    if (known === undefined) return undefined;
    try {
      await this.#api.run(known, 'true', { input: '', timeoutMs: probeLimitMs, signal });
      return known;
    } catch (error) {
      if (!(error instanceof SandboxGone)) throw error;
      return undefined;
    }
  }

  async #make(signal: AbortSignal): Promise<string> {
    const { image, cpus, memoryMb, idleMs, persists } = this.#options;
    const id = await this.#api.make(
      {
        image,
        cpus: cpus > 0 ? cpus : 1,
        memoryMb: memoryMb > 0 ? memoryMb : 5120,
        idleMs: Math.max(leastIdleMs, idleMs),
        files: this.#files,
        persists,
        try: this.#try,
      },
      signal,
    );
    // A lost answer is asked for again under the same name; the next sandbox is another one.
    this.#try = randomUUID();
    if (persists) this.#noted.set(id);
    return id;
  }

  /** The shell of a sandbox may be any: ours is `sh`, and what it runs stands in no list of processes. */
  async #run(text: string, asked: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<string> {
    const { status, output } = await this.#call('sh', { ...asked, input: `${text}\necho ${lastLine}\n` });
    const end = output.lastIndexOf(lastLine);
    if (end >= 0) return output.slice(0, end);
    if (status === 'timeout' || status === 'cancelled') throw new BriefFailure(`the command was ended (${status})`);
    if (output.trimStart().startsWith('=')) throw new BriefFailure('its answer was cut short');
    return output;
  }

  /** In pieces, each of which can be sent again. */
  async #upload(path: string, text: string, signal: AbortSignal): Promise<void> {
    const pieces: string[] = [];
    for (let at = 0; at < text.length || at === 0; at += pieceChars) {
      const piece = `${path}.${pieces.length}`;
      const input = text.slice(at, at + pieceChars);
      const wanted = `[ "$(wc -c <${piece})" -eq ${input.length} ]`;
      const { status, output } = await this.#call(`umask 077; cat >${piece}; ${wanted} && echo ${lastLine}`, {
        input,
        timeoutMs: probeLimitMs,
        signal,
      });
      if (!output.includes(lastLine)) throw new BriefFailure(`input did not arrive (${status})`);
      pieces.push(piece);
    }
    await this.#run(`umask 077; cat ${pieces.join(' ')} >${path}; rm -f ${pieces.join(' ')}`, {
      timeoutMs: probeLimitMs,
      signal,
    });
  }

  async #call(
    command: string,
    asked: { readonly input: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  ): ReturnType<GatewayApi['run']> {
    if (this.#sandbox === undefined) throw new HostLostError(`${this.name} was not opened.`);
    try {
      return await this.#api.run(this.#sandbox, command, asked);
    } catch (error) {
      if (!(error instanceof SandboxGone)) throw error;
      throw new HostLostError(`${this.name} is gone: ${error.message}.`, {
        hint: 'The next command makes another one, with the files that were last kept.',
        cause: error,
      });
    }
  }
}
