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
import { quietPerl } from './keyring.ts';
import { isWithin, type SandboxPlaces } from './places.ts';
import type { Sandbox } from './sandbox.ts';
import { Sandboxes } from './sandboxes.ts';
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

/** A process beside the shell: how it gets in, what makes its terminal, and what it was kept from. */
export interface Beside extends Entrance {
  readonly terminalMaker: string | undefined;
  withheld(output: string, cwd: string): readonly Withheld[];
}

const maxWithheld = 20;
/** The highest number of an open file that a process gets, and a shell, which also reports. */
const standardFiles = 2;
const shellFiles = 4;

export class ConfinedPlace {
  readonly shells: ShellKeeper;
  readonly #options: ConfinedPlaceOptions;
  readonly #sandboxes: Sandboxes;
  readonly #carried: CarriedState;
  readonly #doors = new Map<Sandbox, Egress>();
  /** Of the shell. */
  #confinement: Confinement = { network: 'open' };
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
        enter: async () => {
          const { sandbox, variables } = await this.#enter(this.#confinement);
          return entranceOf(sandbox, variables, shellFiles);
        },
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
      await this.#enter(this.#confinement);
      return undefined;
    } catch (error) {
      this.#options.log.warning('commands cannot be confined', error);
      const said = errorMessage(error).replace(/(?<![.!?])$/, '.');
      return error instanceof UserError && error.hint !== undefined ? `${said} ${error.hint}` : said;
    }
  }

  /**
   * To be called before a command of the shell. Another network needs another sandbox, whose shell begins with the state
   * of the last.
   * @throws UserError where it cannot be confined
   */
  async prepare(confinement: Confinement): Promise<void> {
    this.#confinement = confinement;
    const before = this.#present;
    const present = await this.#enter(confinement);
    this.#present = present;
    if (before === undefined) this.#carried.begin((await this.#options.outside.latestState()).exports);
    else if (before.sandbox !== present.sandbox) {
      await this.shells.renew();
      this.#carried.give(new Map(Object.entries(this.#without(before.variables))), present.variables);
    }
  }

  /**
   * What a process beside the shell needs to start inside.
   * @throws UserError where it cannot be confined
   */
  async entrance(confinement: Confinement): Promise<Beside> {
    const { sandbox, variables } = await this.#enter(confinement);
    // It begins with the state of the shell, which may be in another network.
    const others = Object.entries(this.#without(this.#present?.variables ?? {})).map(([name, value]) => [
      name,
      value ?? '',
    ]);
    const refused = new Map<string, Withheld>();
    return {
      ...entranceOf(sandbox, { ...Object.fromEntries(others), ...variables }, standardFiles),
      terminalMaker: sandbox.terminalMaker,
      withheld: (output, cwd) => {
        // The door tells each host once; whoever looks again shall see it too.
        for (const entry of this.#doors.get(sandbox)?.takeWithheld() ?? []) refused.set(entry.what, entry);
        return this.#withheldIn(output, cwd, confinement, [...refused.values()].slice(0, maxWithheld));
      },
    };
  }

  async #enter({ network }: Confinement): Promise<Present> {
    const sandbox = await this.#sandboxes.enter(typeof network === 'string' ? network : 'gated');
    const { pid } = sandbox;
    const door = typeof network === 'string' || pid === undefined ? undefined : await this.#door(sandbox, pid, network);
    return { sandbox, variables: door?.variables ?? {} };
  }

  /** The one way out of a closed network; where a sandbox has no network of its own there is none. */
  async #door(sandbox: Sandbox, insidePid: number, gate: HostGate): Promise<Egress> {
    const before = this.#doors.get(sandbox);
    if (before !== undefined) {
      before.gate = gate;
      await before.refresh();
      return before;
    }
    for (const [old, door] of this.#doors) {
      if (old.alive) continue;
      this.#doors.delete(old);
      await door.close();
    }
    const { openEgress } = await import('./egress.ts');
    const { proxies, signal, shell } = this.#options;
    const door = await openEgress({
      gate,
      folder: mkdtempSync(join(this.#sandboxes.door, 'd')),
      prefix: sandbox.prefix(standardFiles),
      insidePid,
      env: { PATH: searchPathOf(shell.env) },
      proxies,
      signal,
    });
    this.#doors.set(sandbox, door);
    return door;
  }

  /** What the variables of a network were before. */
  #without(variables: Entrance['variables']): Readonly<Record<string, string | undefined>> {
    const { env } = this.#options.shell;
    return Object.fromEntries(Object.keys(variables).map((name) => [name, env[name]]));
  }

  /** What a command was kept from, as far as its output and the door tell. */
  withheld(output: string, cwd: string, confinement: Confinement): readonly Withheld[] {
    const refused = this.#present === undefined ? [] : (this.#doors.get(this.#present.sandbox)?.takeWithheld() ?? []);
    return this.#withheldIn(output, cwd, confinement, refused);
  }

  #withheldIn(
    output: string,
    cwd: string,
    { network }: Confinement,
    refused: readonly Withheld[],
  ): readonly Withheld[] {
    const { hidden, readOnly, rules } = this.#options.places();
    const reachesHosts = network === 'open' || refused.length > 0;
    return [...refused, ...withheldIn(output, { cwd, hidden, readOnly: [...readOnly, ...rules], reachesHosts })].slice(
      0,
      maxWithheld,
    );
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

function entranceOf(sandbox: Sandbox, variables: Entrance['variables'], highestFile: number): Entrance {
  return {
    prefix: sandbox.prefix(highestFile),
    variables: { ...quietPerl, ...variables },
    isLed: sandbox.pid !== undefined,
  };
}
