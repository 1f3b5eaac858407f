/** The confined side of one environment: its sandboxes, its shell, and what passes between that shell and the one outside. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../../lib/log.ts';
import type { Proxies } from '../../../lib/proxies.ts';
import { errorMessage, UserError } from '../../../lib/errors.ts';
import type { Confinement, HostGate, Withheld } from '../../environment.ts';
import type { OwnProcesses } from '../own-processes.ts';
import { searchPathOf } from '../search-path.ts';
import { type Entrance, ShellKeeper, type ShellKeeperOptions } from '../shell-keeper.ts';
import type { ShellSession } from '../shell-session.ts';
import { CarriedState } from './carried-state.ts';
import type { Egress } from './egress.ts';
import type { ExportChanges } from './exported-variables.ts';
import { isWithin, type SandboxPlaces } from './places.ts';
import type { Sandbox } from './sandbox.ts';
import { Sandboxes, type SandboxNetwork } from './sandboxes.ts';
import { withheldIn } from './withheld.ts';

export interface ConfinedPlaceOptions {
  readonly places: () => SandboxPlaces;
  /** The shells that run with all rights of the person. */
  readonly outside: ShellKeeper;
  readonly shell: Omit<ShellKeeperOptions, 'enclosure'>;
  readonly processes: OwnProcesses;
  /** The person's own, for what a gate lets through. */
  readonly proxies: Proxies;
  readonly signal: AbortSignal;
  readonly log: Log;
}

interface Present {
  readonly sandbox: Sandbox;
  readonly variables: Entrance['variables'];
}

const maxWithheld = 20;

export class ConfinedPlace {
  readonly shells: ShellKeeper;
  readonly #options: ConfinedPlaceOptions;
  readonly #sandboxes: Sandboxes;
  readonly #carried: CarriedState;
  readonly #doors = new Map<Sandbox, Egress>();
  #network: SandboxNetwork = 'open';
  #gate: HostGate | undefined;
  #present: Present | undefined;

  constructor(options: ConfinedPlaceOptions) {
    const { places, outside, processes, signal, log } = options;
    this.#options = options;
    this.#sandboxes = new Sandboxes({
      places,
      scratch: processes.scratch,
      watch: (pid) => processes.guard(pid),
      signal,
      log,
    });
    this.shells = new ShellKeeper({
      ...options.shell,
      enclosure: {
        folder: this.#sandboxes.inside,
        enter: async () => entranceOf(await this.#enter()),
        firstState: () => outside.latestState(),
      },
    });
    this.#carried = new CarriedState(outside, this.shells);
  }

  get isAltered(): boolean {
    return this.#carried.isAltered;
  }

  /** Why nothing can be confined here, with what to do about it. */
  async problem(): Promise<string | undefined> {
    try {
      await this.#sandboxes.enter(this.#network);
      return undefined;
    } catch (error) {
      this.#options.log.warning('commands cannot be confined', error);
      return error instanceof UserError && error.hint !== undefined
        ? `${error.message} ${error.hint}`
        : errorMessage(error);
    }
  }

  /**
   * To be called before a command. Another network needs another sandbox, whose shell begins with the state of the last.
   * @throws UserError where it cannot be confined
   */
  async prepare({ network }: Confinement): Promise<Entrance> {
    this.#network = typeof network === 'string' ? network : 'gated';
    this.#gate = typeof network === 'string' ? undefined : network;
    const before = this.#present;
    const present = await this.#enter();
    if (before === undefined) this.#carried.begin((await this.#options.outside.latestState()).exports);
    else if (before.sandbox !== present.sandbox) {
      await this.shells.renew();
      this.#carried.give(this.#withoutVariables(before.variables), present.variables);
    }
    return entranceOf(present);
  }

  async #enter(): Promise<Present> {
    const sandbox = await this.#sandboxes.enter(this.#network);
    const { pid } = sandbox;
    const gate = this.#gate;
    const door = gate === undefined || pid === undefined ? undefined : await this.#door(sandbox, pid, gate);
    this.#present = { sandbox, variables: door?.variables ?? {} };
    return this.#present;
  }

  /** The one way out of a closed network; where a sandbox has no network of its own there is none. */
  async #door(sandbox: Sandbox, insidePid: number, gate: HostGate): Promise<Egress> {
    const before = this.#doors.get(sandbox);
    if (before !== undefined) {
      before.gate = gate;
      await before.refresh();
      return before;
    }
    const { openEgress } = await import('./egress.ts');
    const { proxies, signal, shell } = this.#options;
    const door = await openEgress({
      gate,
      folder: mkdtempSync(join(this.#sandboxes.door, 'd')),
      prefix: sandbox.prefix,
      insidePid,
      env: { PATH: searchPathOf(shell.env) },
      proxies,
      signal,
    });
    this.#doors.set(sandbox, door);
    return door;
  }

  /** What the variables of another network were before. */
  #withoutVariables(variables: Entrance['variables']): ExportChanges {
    const { env } = this.#options.shell;
    return new Map(Object.keys(variables).map((name) => [name, env[name]]));
  }

  /** What a command was kept from, as far as its output and the door tell. */
  withheld(output: string, cwd: string, { network }: Confinement): readonly Withheld[] {
    const { hidden, readOnly } = this.#options.places();
    const refused = this.#present === undefined ? [] : (this.#doors.get(this.#present.sandbox)?.takeWithheld() ?? []);
    const reachesHosts = network === 'open' || refused.length > 0;
    return [...refused, ...withheldIn(output, { cwd, hidden, readOnly, reachesHosts })].slice(0, maxWithheld);
  }

  /** True for a folder that nothing inside sees as it is. */
  hides(folder: string): boolean {
    const { hidden, shown } = this.#options.places();
    const isIn = (list: readonly string[]): boolean => list.some((path) => isWithin(folder, path));
    return isIn(hidden) && !isIn(shown);
  }

  async keepsGitSettings(folder: string): Promise<boolean> {
    const { isKept } = await import('./repositories.ts');
    return isKept(folder, this.#options.places());
  }

  takeInside(shell: ShellSession): Promise<void> {
    return this.#carried.takeInside(shell);
  }

  /** A command outside may have replaced what is kept from those inside. */
  async takeOutside(shell: ShellSession): Promise<void> {
    await Promise.all([this.#sandboxes.refresh(), this.#carried.takeOutside(shell)]);
  }

  /** For after everything inside was asked to end. */
  async close(): Promise<void> {
    await Promise.all([...this.#doors.values()].map((door) => door.close()));
    await this.#sandboxes.close();
  }
}

function entranceOf({ sandbox, variables }: Present): Entrance {
  return { prefix: sandbox.prefix, variables, isLed: sandbox.pid !== undefined };
}
