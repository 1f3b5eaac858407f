/** A container of docker or podman: found again, started, or made; and left or removed at the end. */
import { randomBytes } from 'node:crypto';
import type { Variables } from '../../config/variables.ts';
import { UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { HostLostError, type HostEnd, type HostRun, type RemoteHost } from '../remote/host.ts';
import {
  type ContainerSpec,
  digest,
  type RunConditions,
  runArguments,
  settingsLabel,
  settingsOf,
} from './container-spec.ts';
import { ask, type Engine, findEngine, holdInside, lastLine, runInside } from './engine.ts';
import { removeOrphans } from './remove-orphans.ts';

export interface DockerHostOptions {
  /** `HERMES_DOCKER_BINARY`, or `docker`. */
  readonly program: string;
  /** Of the program itself. */
  readonly env: Variables;
  readonly spec: ContainerSpec;
  /** The container outlives us, and the next process finds it. Otherwise it is ours alone. */
  readonly persists: boolean;
  /** Removes what was left behind and has been still for that long; absent: removes nothing. */
  readonly orphanAgeMs?: number;
  readonly log: Log;
}

const startLimitMs = 120_000;
const pullLimitMs = 30 * 60_000;

export function createDockerHost(options: DockerHostOptions): RemoteHost {
  return new DockerHost(options);
}

class DockerHost implements RemoteHost {
  readonly kind = 'docker';
  readonly #options: DockerHostOptions;
  readonly #container: string;
  #engine: Engine | undefined;
  #isMade = false;
  #reaping: Promise<void> | undefined;

  constructor(options: DockerHostOptions) {
    const { task, profile, homePath } = options.spec;
    const owner = digest(JSON.stringify([task, profile, homePath]));
    this.#options = options;
    // Two processes that make it at the same time meet at the name.
    this.#container = `hermes-${options.persists ? owner.slice(0, 8) : randomBytes(4).toString('hex')}`;
  }

  get name(): string {
    return `container ${this.#container}`;
  }

  async open(signal: AbortSignal): Promise<void> {
    this.#engine ??= await findEngine(this.#options.program, this.#options.env, signal);
    if (!(await this.#attach(this.#engine, signal))) await this.#make(this.#engine, signal);
    this.#isMade = true;
    const { orphanAgeMs, spec, log } = this.#options;
    if (orphanAgeMs === undefined || this.#reaping !== undefined) return;
    const owner = { ...spec, except: this.#container };
    this.#reaping = removeOrphans(this.#engine, owner, orphanAgeMs).catch((error: unknown) =>
      log.warning('containers that nobody uses could not be removed', error),
    );
  }

  async exec(command: string, run: HostRun): Promise<HostEnd> {
    const engine = this.#engine;
    const end = await runInside({ engine, name: this.name }, this.#execArguments(command), run);
    if (engine !== undefined && end.exitCode !== 0 && (await this.#isGone(engine, end))) {
      throw new HostLostError(`${this.name} is gone${end.complaint === '' ? '.' : `: ${lastLine(end.complaint)}`}`, {
        hint: 'The next command makes or starts it again.',
      });
    }
    return end;
  }

  hold(command: string, input: Uint8Array): () => void {
    return holdInside(this.#engine, this.#execArguments(command), input);
  }

  async close(): Promise<void> {
    await this.#reaping;
    if (this.#options.persists || !this.#isMade || this.#engine === undefined) return;
    await this.#remove(this.#engine, this.#container);
  }

  #execArguments(command: string): string[] {
    return ['exec', '-i', this.#container, 'sh', '-c', command];
  }

  /** Takes the container of before when it is what the settings want now. */
  async #attach(engine: Engine, signal: AbortSignal): Promise<boolean> {
    const format = `{{.State.Running}} {{index .Config.Labels "${settingsLabel}"}}`;
    const found = await ask(engine, ['inspect', '--type', 'container', '--format', format, this.#container], signal);
    if (found.exitCode !== 0) return false;
    const [running, settings] = found.output.split(' ');
    if (settings !== settingsOf(this.#options.spec)) {
      this.#options.log.warning(`${this.name} was made with other settings: it is replaced`);
      await this.#remove(engine, this.#container);
      return false;
    }
    if (running === 'true') return true;
    const started = await ask(engine, ['start', this.#container], signal, startLimitMs);
    if (started.exitCode === 0) return true;
    this.#options.log.warning(
      `${this.name} cannot be started any more and is replaced: ${lastLine(started.complaint)}`,
    );
    await this.#remove(engine, this.#container);
    return false;
  }

  async #make(engine: Engine, signal: AbortSignal): Promise<void> {
    const ownInit = await this.#hasOwnInit(engine, signal);
    let conditions: RunConditions = { ownInit, cgroupLimits: true, diskLimit: await canLimitDisk(engine, signal) };
    for (;;) {
      const args = runArguments(this.#container, this.#options.spec, conditions);
      const { exitCode, complaint } = await ask(engine, args, signal, startLimitMs);
      if (exitCode === 0) return;
      // Another process of ours was faster.
      if (/already in use/i.test(complaint) && (await this.#attach(engine, signal))) return;
      await this.#remove(engine, this.#container);
      const fewer = withFewerLimits(conditions, complaint);
      if (fewer === undefined) throw cannotStart(this.#options.spec.image, complaint);
      this.#options.log.warning(`${this.name} gets fewer limits than it should: ${lastLine(complaint)}`);
      conditions = fewer;
    }
  }

  /** Also fetches the image where it is not there yet. */
  async #hasOwnInit(engine: Engine, signal: AbortSignal): Promise<boolean> {
    const { image } = this.#options.spec;
    const look = ['image', 'inspect', '--format', '{{json .Config.Entrypoint}}', image];
    let found = await ask(engine, look, signal);
    if (found.exitCode !== 0) {
      const pulled = await ask(engine, ['pull', '-q', image], signal, pullLimitMs);
      if (pulled.exitCode !== 0) {
        throw new UserError(`The image ${image} cannot be fetched: ${lastLine(pulled.complaint)}`, {
          hint: 'Check terminal.docker_image and the network, or fetch it by hand: docker pull',
        });
      }
      found = await ask(engine, look, signal);
    }
    return /"\/init"/.test(found.output);
  }

  async #isGone(engine: Engine, { exitCode, complaint }: HostEnd): Promise<boolean> {
    if (/no such container|no container with name|is not running|container state improper/i.test(complaint))
      return true;
    if (/cannot connect to|connection refused|error during connect/i.test(complaint)) return true;
    if (exitCode !== 137) return false;
    // Killed: the command, or everything.
    const look = ['inspect', '--format', '{{.State.Running}}', this.#container];
    const { exitCode: status, output } = await ask(engine, look, AbortSignal.timeout(10_000));
    return status !== 0 || output !== 'true';
  }

  async #remove(engine: Engine, container: string): Promise<void> {
    const { exitCode, complaint } = await ask(
      engine,
      ['rm', '-f', '-v', container],
      AbortSignal.timeout(60_000),
      60_000,
    );
    if (exitCode !== 0 && !/no such|no container/i.test(complaint)) {
      this.#options.log.warning(`container ${container} could not be removed: ${lastLine(complaint)}`);
    }
  }
}

/** Docker's own driver can, on file systems that count; it says so when the container is made. */
async function canLimitDisk(engine: Engine, signal: AbortSignal): Promise<boolean> {
  if (process.platform === 'darwin') return false;
  const { output } = await ask(engine, ['info', '--format', '{{.Driver}}'], signal);
  return output === 'overlay2';
}

/** Without what the engine cannot do here; undefined when that is not why it failed. */
function withFewerLimits(conditions: RunConditions, complaint: string): RunConditions | undefined {
  if (conditions.diskLimit && /storage-opt|quota/i.test(complaint)) return { ...conditions, diskLimit: false };
  const isLimit = /cgroup|cpu|memory limit|memory\.max|pids/i.test(complaint);
  return conditions.cgroupLimits && isLimit ? { ...conditions, cgroupLimits: false } : undefined;
}

function cannotStart(image: string, complaint: string): UserError {
  const lacksInit = /container-init|catatonit/i.test(complaint);
  return new UserError(`No container of ${image} can be started: ${lastLine(complaint)}`, {
    hint: lacksInit
      ? 'Podman needs the program catatonit for containers that last: install the package of that name.'
      : 'Check terminal.docker_image, terminal.docker_volumes and terminal.docker_extra_args.',
  });
}
