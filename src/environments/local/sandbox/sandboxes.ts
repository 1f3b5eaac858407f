/** The sandboxes of one environment: started with the first command that needs them, one for each kind of network. */
import { existsSync, mkdirSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errorMessage, UserError } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { type Cover, coversOf, type Layout, layOut } from './bubblewrap-arguments.ts';
import type { SandboxPrograms } from './linux-sandbox.ts';
import { listeningSockets } from './listening-sockets.ts';
import { misplaced } from './mounted.ts';
import { existing, isWithin, type SandboxPlaces } from './places.ts';
import type { Sandbox } from './sandbox.ts';
import { seatbeltProgram, seatbeltSandbox } from './seatbelt.ts';
import { startLinuxSandbox } from './start-linux-sandbox.ts';
import { TemporaryFolders } from './temporary-files.ts';
import { findSandboxPrograms, remedyFor } from './why-not.ts';

/** Whom programs of a sandbox reach: everybody, only each other, or whom a gate lets through. */
export type SandboxNetwork = 'open' | 'none' | 'gated';

export interface SandboxesOptions {
  /** Asked before every command; must be quick. */
  readonly places: () => SandboxPlaces;
  /** A folder of ours that nothing inside sees. */
  readonly scratch: string;
  /** Must end the process when we die. */
  readonly watch: (pid: number) => void;
  readonly signal: AbortSignal;
  readonly log: Log;
}

const startLimitMs = 10_000;
const maxTries = 3;
const temporary: ReadonlySet<string> = new Set(['/tmp', '/var/tmp', tmpdir()]);

export class Sandboxes {
  readonly #options: SandboxesOptions;
  /** The folder that shells inside share with us. */
  readonly inside: string;
  /** The folder of sockets that programs inside may use and not replace. */
  readonly door: string;
  readonly #emptyFile: string;
  readonly #temporary = new TemporaryFolders([...temporary]);
  readonly #running = new Map<SandboxNetwork, Promise<Sandbox>>();
  /** What each sandbox was given, by path. */
  readonly #covered = new WeakMap<Sandbox, Map<string, string>>();
  /** The machine as each sandbox was last brought up to date with. */
  readonly #seen = new WeakMap<Sandbox, string>();

  constructor(options: SandboxesOptions) {
    this.#options = options;
    this.inside = join(options.scratch, 'inside');
    this.door = join(options.scratch, 'door');
    for (const folder of [this.inside, this.door]) mkdirSync(folder, { mode: 0o700 });
    this.#emptyFile = join(options.scratch, 'empty');
    writeFileSync(this.#emptyFile, '', { mode: 0o444 });
  }

  /**
   * A running sandbox in which everything is covered that there is to cover by now.
   * @throws UserError where there can be none
   */
  async enter(network: SandboxNetwork): Promise<Sandbox> {
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const starting = this.#running.get(network) ?? this.#begin(network);
      const sandbox = await starting;
      if (sandbox.alive) await this.#coverNew(sandbox, network);
      if (sandbox.alive) return sandbox;
      this.#forget(network, starting);
    }
    throw new UserError('The sandbox for commands ends again and again as soon as it has started.');
  }

  /** To be called after commands outside: they may have replaced what is kept from commands inside. */
  async refresh(): Promise<void> {
    for (const [network, starting] of this.#running) {
      const sandbox = await starting.catch(() => undefined);
      if (sandbox?.alive === true) await this.#coverNew(sandbox, network);
    }
  }

  async close(): Promise<void> {
    for (const starting of this.#running.values()) (await starting.catch(() => undefined))?.close();
  }

  /** Who asks meanwhile waits for the same one. */
  #begin(network: SandboxNetwork): Promise<Sandbox> {
    const starting = this.#start(network);
    this.#running.set(network, starting);
    // The next one tries again; whoever waits hears of it.
    starting.catch(() => this.#forget(network, starting));
    return starting;
  }

  #forget(network: SandboxNetwork, starting: Promise<Sandbox>): void {
    if (this.#running.get(network) === starting) this.#running.delete(network);
  }

  async #start(network: SandboxNetwork): Promise<Sandbox> {
    if (process.platform === 'darwin' && existsSync(seatbeltProgram)) {
      const { inside, door } = this;
      return seatbeltSandbox({ places: this.#places(network), inside, door, reachesHosts: network === 'open' });
    }
    const programs = findSandboxPrograms();
    if ('problem' in programs) throw new UserError(programs.problem, { hint: programs.remedy });
    for (let tries = 1; ; tries += 1) {
      const layout = layOut(this.#places(network), this.#emptyFile, this);
      try {
        return await this.#startWith(programs, layout, network);
      } catch (error) {
        // What is covered may have gone away meanwhile, as files for temporary use do.
        const isStale = layout.covers.some(({ place }) => existing([place.path])[0]?.identity !== place.identity);
        if ((!isStale && !(error instanceof Misplaced)) || tries === maxTries) {
          const hint = error instanceof Misplaced ? swappedHint : remedyFor(errorMessage(error));
          throw new UserError(errorMessage(error), { hint, cause: error });
        }
      }
    }
  }

  async #startWith(programs: SandboxPrograms, layout: Layout, network: SandboxNetwork): Promise<Sandbox> {
    const { signal, watch } = this.#options;
    const sharesNetwork = network === 'open';
    const timeoutMs = startLimitMs;
    const sandbox = await startLinuxSandbox({ programs, layout: layout.arguments, sharesNetwork, timeoutMs, signal });
    watch(sandbox.pid);
    const wrong = misplaced(sandbox.pid, layout.covers);
    if (wrong !== undefined) {
      sandbox.close();
      throw new Misplaced(`The sandbox for commands is given up: ${wrong.place.path} was swapped for something else.`);
    }
    this.#covered.set(sandbox, new Map(layout.covers.map((cover) => [cover.place.path, identityOf(cover)])));
    return sandbox;
  }

  #places(network: SandboxNetwork): SandboxPlaces {
    const places = this.#options.places();
    return {
      ...places,
      readOnly: network === 'gated' ? [...places.readOnly, ...places.rules] : places.readOnly,
      hidden: [
        ...places.hidden,
        ...this.#temporary.privateEntries(),
        ...this.#socketsOfOthers(places),
        dirname(this.#options.scratch),
      ],
    };
  }

  /** A folder that cannot be written keeps nobody from a socket in it. Those of the work in hand are part of it. */
  #socketsOfOthers({ writable }: SandboxPlaces): readonly string[] {
    const own = [this.#options.scratch, ...writable.filter((folder) => !temporary.has(folder))];
    return listeningSockets().filter((path) => !own.some((folder) => isWithin(path, folder)));
  }

  /** What cannot be covered must not be seen: then the sandbox ends, and the next command gets a new one. */
  async #coverNew(sandbox: Sandbox, network: SandboxNetwork): Promise<void> {
    const known = this.#covered.get(sandbox) ?? new Map<string, string>();
    const places = this.#places(network);
    const seen = fingerprint(places);
    if (seen !== undefined && this.#seen.get(sandbox) === seen) return;
    try {
      for (const cover of coversOf(places)) {
        if (cover.how !== 'hidden' && cover.how !== 'readOnly') continue;
        if (known.get(cover.place.path) === identityOf(cover)) continue;
        await sandbox.cover(cover).catch((error: unknown) => {
          // It went away meanwhile; whatever comes in its place is found with the next look.
          if (existing([cover.place.path])[0]?.identity === cover.place.identity) throw error;
        });
        known.set(cover.place.path, identityOf(cover));
      }
      if (seen !== undefined) this.#seen.set(sandbox, seen);
    } catch (error) {
      this.#options.log.warning('a sandbox was ended because something new could not be kept from it', error);
      sandbox.close();
    }
  }
}

const swappedHint = 'A program that changes the folder in use all the time has to end first.';

/** Somebody swapped files for links just then. */
class Misplaced extends Error {}

/** File systems count time in steps; what changed just now may change again within the same. */
const settledMs = 50;

/**
 * Whatever comes, goes or takes another's place changes the time of the folder it lies in. `undefined` when one of them
 * has changed just now. Folders for temporary files change all the time: of those, what lies in them is looked at.
 */
function fingerprint({ hidden, readOnly }: SandboxPlaces): string | undefined {
  const now = Date.now();
  const paths = [...hidden, ...readOnly];
  const folders = new Set(paths.map((path) => dirname(path)).filter((folder) => !temporary.has(folder)));
  const times = [...folders].map((folder) => look(folder)?.mtimeMs ?? 0);
  if (times.some((time) => now - time < settledMs)) return undefined;
  const entries = paths.filter((path) => temporary.has(dirname(path))).map((path) => `${path} ${look(path)?.ino}`);
  return [...times, ...entries].join('\n');
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Not for us to see, then it is not for our commands either.
    return undefined;
  }
}

function identityOf({ how, place }: Cover): string {
  return `${how} ${place.identity}`;
}
