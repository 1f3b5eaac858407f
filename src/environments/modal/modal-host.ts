/** A sandbox of Modal: made from the files of the last time, shared by the sessions of this machine, and kept as an image. */
import { randomBytes } from 'node:crypto';
import type { Image, ModalClient, Sandbox } from 'modal';
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { HostLostError, type HostEnd, type HostRun, type RemoteHost } from '../remote/host.ts';
import { HostUsers } from '../remote/host-users.ts';
import { runInSandbox } from './modal-commands.ts';
import { isGone, nameOf, told } from './modal-errors.ts';
import { Snapshots } from './snapshots.ts';
import { before } from './within.ts';

export interface ModalHostOptions {
  /** Loads the library. */
  readonly connect: () => Promise<ModalClient>;
  /** Names whom the sandbox belongs to: letters, digits and `-`. */
  readonly owner: string;
  /** Names whose files are kept. */
  readonly task: string;
  readonly homePath: string;
  /** An address of a registry, or the id of an image of Modal (`im-…`). */
  readonly image: string;
  readonly cpus: number;
  readonly memoryMb: number;
  /** Its files are kept as an image at the end; else they are lost. */
  readonly persists: boolean;
  /** Milliseconds without a command after which Modal ends it, should this process be gone. */
  readonly idleMs: number;
  /** A directory for notes of who uses it; on this machine. */
  readonly notes: string;
  readonly log: Log;
}

const appName = 'hermes-agent';
/** The most that Modal allows. */
const lifetimeMs = 24 * 60 * 60_000;
/** An image that is new there is built first. */
const openLimitMs = 10 * 60_000;
const snapshotLimitMs = 120_000;
const closeLimitMs = 30_000;

export function createModalHost(options: ModalHostOptions): RemoteHost {
  return new ModalHost(options);
}

class ModalHost implements RemoteHost {
  readonly kind = 'modal';
  readonly #options: ModalHostOptions;
  readonly #sandboxName: string;
  readonly #users: HostUsers;
  readonly #snapshots: Snapshots;
  #client: Promise<ModalClient> | undefined;
  #opening: Promise<Sandbox> | undefined;
  #sandbox: Sandbox | undefined;

  constructor(options: ModalHostOptions) {
    const { owner, task, homePath, persists, notes } = options;
    this.#options = options;
    this.#sandboxName = `hermes-${owner}${persists ? '' : `-${randomBytes(4).toString('hex')}`}`;
    this.#users = new HostUsers(`${notes}/${this.#sandboxName}`);
    this.#snapshots = new Snapshots(homePath, task);
  }

  get name(): string {
    return `the Modal sandbox ${this.#sandboxName}`;
  }

  async open(signal: AbortSignal): Promise<void> {
    this.#users.enter();
    this.#sandbox?.detach();
    this.#sandbox = undefined;
    this.#opening = this.#open();
    try {
      this.#sandbox = await before(this.#opening, openLimitMs, signal, `${this.name} did not start`);
    } catch (error) {
      signal.throwIfAborted();
      throw told(error, this.name);
    }
  }

  async exec(command: string, run: HostRun): Promise<HostEnd> {
    const sandbox = this.#sandbox;
    if (sandbox === undefined) throw new HostLostError(`${this.name} was not opened.`);
    try {
      return await runInSandbox(sandbox, command, run);
    } catch (error) {
      if (run.signal.aborted || nameOf(error) === 'TimeoutError') throw error;
      throw (await this.#ended(sandbox)) ?? told(error, this.name);
    }
  }

  async close(): Promise<void> {
    const isLast = this.#users.leave();
    // One that comes when nobody waits any more must not cost anything.
    const sandbox = this.#opening && (await before(this.#opening, closeLimitMs, undefined, '').catch(() => undefined));
    this.#sandbox = undefined;
    if (sandbox === undefined) return;
    if (!isLast) return sandbox.detach();
    const { persists, log } = this.#options;
    if (persists)
      await this.#keep(sandbox).catch((error: unknown) =>
        log.warning(`${this.name}: its files could not be kept`, error),
      );
    const late = `${this.name} was not ended`;
    await before(sandbox.terminate(), closeLimitMs, undefined, late).catch((error: unknown) =>
      log.warning(`${this.name} could not be ended, and may cost something until it is idle`, error),
    );
    sandbox.detach();
    (await this.#client)?.close();
  }

  async #keep(sandbox: Sandbox): Promise<void> {
    const snapshot = sandbox.snapshotFilesystem({ timeoutMs: snapshotLimitMs, ttlMs: null });
    const { imageId } = await before(snapshot, snapshotLimitMs + closeLimitMs, undefined, 'it took too long');
    this.#snapshots.set(imageId);
  }

  /** After a failure: that the sandbox has ended, when that is why. */
  async #ended(sandbox: Sandbox): Promise<HostLostError | undefined> {
    const state = await before(sandbox.poll(), closeLimitMs, undefined, 'no answer').catch((error: unknown) =>
      isGone(error) ? 0 : null,
    );
    if (state === null) return undefined;
    return new HostLostError(`${this.name} has ended.`, {
      hint: 'The next command makes another one, with the files that were last kept.',
    });
  }

  async #open(): Promise<Sandbox> {
    this.#client ??= this.#options.connect();
    const client = await this.#client.catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return (await this.#present(client)) ?? (await this.#make(client));
  }

  /** One that another session of this machine made. */
  async #present(client: ModalClient): Promise<Sandbox | undefined> {
    if (!this.#options.persists) return undefined;
    try {
      return await client.sandboxes.fromName(appName, this.#sandboxName);
    } catch (error) {
      if (!isGone(error)) throw error;
      return undefined;
    }
  }

  async #make(client: ModalClient): Promise<Sandbox> {
    const { persists, image, log } = this.#options;
    const kept = persists ? this.#snapshots.get() : undefined;
    if (kept !== undefined) {
      try {
        return await this.#makeFrom(client, () => client.images.fromId(kept));
      } catch (error) {
        if (!isGone(error)) throw error;
        log.warning(`${this.name}: the files of the last time are gone (${kept}: ${errorMessage(error)})`);
        this.#snapshots.set(undefined);
      }
    }
    return await this.#makeFrom(client, () =>
      image.startsWith('im-') ? client.images.fromId(image) : Promise.resolve(client.images.fromRegistry(image)),
    );
  }

  async #makeFrom(client: ModalClient, imageOf: () => Promise<Image>): Promise<Sandbox> {
    const { cpus, memoryMb, idleMs } = this.#options;
    const app = await client.apps.fromName(appName, { createIfMissing: true });
    const image = await imageOf();
    try {
      return await client.sandboxes.create(app, image, {
        name: this.#sandboxName,
        timeoutMs: lifetimeMs,
        idleTimeoutMs: idleMs,
        ...(cpus > 0 ? { cpu: cpus } : {}),
        ...(memoryMb > 0 ? { memoryMiB: memoryMb } : {}),
      });
    } catch (error) {
      if (nameOf(error) !== 'AlreadyExistsError') throw error;
      // Another process of ours was faster.
      return await client.sandboxes.fromName(appName, this.#sandboxName);
    }
  }
}
