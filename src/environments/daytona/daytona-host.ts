/** A sandbox of Daytona: found again, started, or made; and stopped or removed at the end. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { HostLostError, type HostEnd, type HostRun, type RemoteHost } from '../remote/host.ts';
import { HostUsers } from '../remote/host-users.ts';
import { BriefFailure, PolledCommands } from '../remote/polled-commands.ts';
import { type DaytonaAccess, DaytonaApi, type DaytonaSandbox } from './daytona-api.ts';

export interface DaytonaHostOptions {
  readonly access: DaytonaAccess;
  /** Names whom the sandbox belongs to: letters, digits and `-`. */
  readonly task: string;
  readonly image: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly diskMb: number;
  /** It is stopped at the end, and the next process starts it again; else it is ours alone, and removed. */
  readonly persists: boolean;
  /** A directory for notes of who uses it; on this machine. */
  readonly notes: string;
  readonly log: Log;
  /** Between two looks at a sandbox that is on its way; default one second. */
  readonly lookMs?: number;
  /** Waits between the tries of a call. */
  readonly retryWaitsMs?: readonly number[];
}

/** What an account gets at the most. */
const maxDiskGib = 10;
/** An image that is new there is fetched first. */
const openLimitMs = 10 * 60_000;
const closeLimitMs = 60_000;
/** One that was left behind by a process that was killed goes away after that time without a command. */
const passingMinutes = 60;

export function createDaytonaHost(options: DaytonaHostOptions): RemoteHost {
  return new DaytonaHost(options);
}

class DaytonaHost implements RemoteHost {
  readonly kind = 'daytona';
  readonly #options: DaytonaHostOptions;
  readonly #api: DaytonaApi;
  readonly #sandboxName: string;
  readonly #users: HostUsers;
  readonly #commands: PolledCommands;
  #open: { readonly sandbox: DaytonaSandbox; readonly toolbox: string } | undefined;

  constructor(options: DaytonaHostOptions) {
    const { access, task, persists, notes, retryWaitsMs } = options;
    this.#options = options;
    this.#api = new DaytonaApi(access);
    this.#sandboxName = `hermes-${task}${persists ? '' : `-${randomBytes(4).toString('hex')}`}`;
    this.#users = new HostUsers(`${notes}/${this.#sandboxName}`);
    this.#commands = new PolledCommands(
      {
        name: this.name,
        run: (text, asked) => this.#run(text, asked),
        upload: async (path, text, signal) => await this.#api.upload(this.#toolbox(), path, text, signal),
      },
      retryWaitsMs === undefined ? {} : { retryWaitsMs },
    );
  }

  get name(): string {
    return `the Daytona sandbox ${this.#sandboxName}`;
  }

  async open(signal: AbortSignal): Promise<void> {
    this.#users.enter();
    const deadline = AbortSignal.timeout(openLimitMs);
    try {
      const sandbox = await this.#started(AbortSignal.any([signal, deadline]));
      this.#open = { sandbox, toolbox: await this.#api.toolbox(sandbox, signal) };
    } catch (error) {
      if (deadline.aborted)
        throw new HostLostError(`${this.name} did not start within ${openLimitMs / 60_000} minutes.`);
      if (!(error instanceof BriefFailure)) throw error;
      throw new HostLostError(`Daytona cannot be reached: ${error.message}.`, {
        hint: 'Check the network, and DAYTONA_API_URL where it is set.',
        cause: error,
      });
    }
  }

  exec(command: string, run: HostRun): Promise<HostEnd> {
    return this.#commands.exec(command, run);
  }

  async close(): Promise<void> {
    const isLast = this.#users.leave();
    if (this.#open === undefined || !isLast) return;
    const { sandbox } = this.#open;
    const signal = AbortSignal.timeout(closeLimitMs);
    const { persists, log } = this.#options;
    try {
      if (persists)
        await this.#commands
          .clean(signal)
          .catch((error: unknown) => log.debug(`${this.name}: files of commands stay there`, error));
      await (persists ? this.#api.stop(sandbox, signal) : this.#api.remove(sandbox, signal));
    } catch (error) {
      log.warning(`${this.name} could not be ${persists ? 'stopped' : 'removed'}, and may cost something`, error);
    }
  }

  /** The shell of an account may be any: ours is `sh`. */
  async #run(text: string, asked: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<string> {
    const toolbox = this.#toolbox();
    try {
      return await this.#api.execute(toolbox, `sh <<'HERMES_TEXT'\n${text}\nHERMES_TEXT\n`, asked);
    } catch (error) {
      if (asked.signal.aborted) throw error;
      throw (await this.#isGone(asked.signal)) ?? error;
    }
  }

  #toolbox(): string {
    if (this.#open === undefined) throw new HostLostError(`${this.name} was not opened.`);
    return this.#open.toolbox;
  }

  /** After a failure: what became of the sandbox, when that is why. */
  async #isGone(signal: AbortSignal): Promise<HostLostError | undefined> {
    const found = await this.#api.find(this.#sandboxName, signal).catch(() => null);
    if (found === null || found?.state === 'started') return undefined;
    return new HostLostError(`${this.name} is ${found === undefined ? 'gone' : found.state}.`, {
      hint: 'The next command starts it again, or makes another one.',
    });
  }

  async #started(signal: AbortSignal): Promise<DaytonaSandbox> {
    let asked = false;
    for (;;) {
      const found = (await this.#present(signal)) ?? (await this.#make(signal));
      if (found?.state === 'started') return found;
      if (found !== undefined && failedStates.has(found.state)) throw this.#failed(found);
      if (found !== undefined && restingStates.has(found.state) && !asked) {
        await this.#api.start(found, signal);
        asked = true;
      }
      await sleep(this.#options.lookMs ?? 1000, undefined, { signal });
    }
  }

  async #present(signal: AbortSignal): Promise<DaytonaSandbox | undefined> {
    const named = await this.#api.find(this.#sandboxName, signal);
    if (named !== undefined || !this.#options.persists) return named?.state === 'destroyed' ? undefined : named;
    // Older ones have no name of ours, just the label.
    const labelled = await this.#api.withLabels(this.#labels(), signal);
    return labelled.find(({ state }) => state !== 'destroyed' && state !== 'destroying');
  }

  async #make(signal: AbortSignal): Promise<DaytonaSandbox | undefined> {
    const { image, cpus, memoryMb, diskMb, persists, log } = this.#options;
    const diskGib = Math.max(1, Math.ceil(diskMb / 1024));
    if (diskGib > maxDiskGib) {
      log.warning(`${this.name} gets a disk of ${maxDiskGib} GiB instead of ${diskGib}: more is not to be had`);
    }
    return await this.#api.make(
      {
        name: this.#sandboxName,
        labels: this.#labels(),
        image,
        cpus: Math.max(1, cpus),
        memoryGib: Math.max(1, Math.ceil(memoryMb / 1024)),
        diskGib: Math.min(diskGib, maxDiskGib),
        stopAfterMinutes: persists ? 0 : passingMinutes,
        passing: !persists,
      },
      signal,
    );
  }

  #labels(): Record<string, string> {
    return { hermes_task_id: this.#options.task };
  }

  #failed({ state, errorReason }: DaytonaSandbox): UserError {
    return new UserError(`${this.name} is in the state ${state}${errorReason ? `: ${errorReason}` : '.'}`, {
      hint: 'Check terminal.daytona_image, or remove the sandbox in the dashboard of Daytona: the next command makes another one.',
    });
  }
}

const restingStates: ReadonlySet<string> = new Set(['stopped', 'archived', 'paused']);
const failedStates: ReadonlySet<string> = new Set(['error', 'build_failed']);
