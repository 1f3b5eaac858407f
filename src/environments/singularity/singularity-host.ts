/** A container of apptainer or singularity: an instance that all commands run in, on an image that was built once. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Variables } from '../../config/variables.ts';
import { UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { ask, type Engine, holdInside, lastLine, runInside } from '../docker/engine.ts';
import { digest, type Mount } from '../docker/container-spec.ts';
import { searchPath } from '../local/find-shell.ts';
import { HostLostError, type HostEnd, type HostRun, type RemoteHost } from '../remote/host.ts';
import { HostUsers } from '../remote/host-users.ts';

export interface SingularityHostOptions {
  /** Of the program itself. */
  readonly env: Variables;
  /** A file, a directory, or an address such as `docker://debian`. */
  readonly image: string;
  readonly mounts: readonly Mount[];
  /** Where images that were built, changes that are kept and notes of ours go. */
  readonly scratch: string;
  /** Names the changes that are kept; absent: everything is lost at the end. */
  readonly keptAs?: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly log: Log;
}

const startLimitMs = 120_000;
const buildLimitMs = 60 * 60_000;

export function createSingularityHost(options: SingularityHostOptions): RemoteHost {
  return new SingularityHost(options);
}

class SingularityHost implements RemoteHost {
  readonly kind = 'singularity';
  readonly #options: SingularityHostOptions;
  readonly #instance: string;
  readonly #users: HostUsers;
  #engine: Engine | undefined;

  constructor(options: SingularityHostOptions) {
    const { image, mounts, scratch, keptAs } = options;
    this.#options = options;
    // What is kept can be open only once, so all sessions that keep the same share one instance.
    const shared = digest(JSON.stringify([image, mounts, scratch, keptAs])).slice(0, 8);
    this.#instance = `hermes-${keptAs === undefined ? randomBytes(4).toString('hex') : shared}`;
    this.#users = new HostUsers(join(scratch, 'users', this.#instance));
  }

  get name(): string {
    return `instance ${this.#instance}`;
  }

  async open(signal: AbortSignal): Promise<void> {
    this.#engine ??= findSingularity(this.#options.env);
    this.#users.enter();
    if (await this.#runs(this.#engine, signal)) return;
    const image = await this.#image(this.#engine, signal);
    await this.#start(this.#engine, image, signal);
  }

  async exec(command: string, run: HostRun): Promise<HostEnd> {
    const end = await runInside({ engine: this.#engine, name: this.name }, this.#execArguments(command), run);
    if (end.exitCode !== 0 && /no instance found|not running|while loading instance/i.test(end.complaint)) {
      throw new HostLostError(`${this.name} is gone: ${lastLine(end.complaint)}`, {
        hint: 'The next command starts it again.',
      });
    }
    return end;
  }

  hold(command: string, input: Uint8Array): () => void {
    return holdInside(this.#engine, this.#execArguments(command), input);
  }

  async close(): Promise<void> {
    const isLast = this.#users.leave();
    if (!isLast || this.#engine === undefined) return;
    const signal = AbortSignal.timeout(60_000);
    const { exitCode, complaint } = await ask(this.#engine, ['instance', 'stop', this.#instance], signal, 60_000);
    if (exitCode !== 0 && !/no instance found/i.test(complaint)) {
      this.#options.log.warning(`${this.name} could not be stopped: ${lastLine(complaint)}`);
    }
  }

  #execArguments(command: string): string[] {
    return ['exec', '--cleanenv', '--pwd', '/', `instance://${this.#instance}`, 'sh', '-c', command];
  }

  async #runs(engine: Engine, signal: AbortSignal): Promise<boolean> {
    const { output } = await ask(engine, ['instance', 'list', this.#instance], signal);
    return output.split('\n').some((line) => line.split(/\s+/, 1)[0] === this.#instance);
  }

  async #start(engine: Engine, image: string, signal: AbortSignal): Promise<void> {
    const { cpus, memoryMb, log } = this.#options;
    const limits = [
      ...(cpus > 0 ? ['--cpus', String(cpus)] : []),
      ...(memoryMb > 0 ? ['--memory', `${memoryMb}M`] : []),
    ];
    const tries = limits.length === 0 ? [[]] : [limits, []];
    for (const [index, some] of tries.entries()) {
      const args = [...this.#startArguments(), ...some, image, this.#instance];
      const { exitCode, complaint } = await ask(engine, args, signal, startLimitMs);
      if (exitCode === 0) return;
      // Another process of ours was faster.
      if (await this.#runs(engine, signal)) return;
      const isLimit = /cgroup|systemd|unknown flag|unknown command|memory|cpus/i.test(complaint);
      if (index === tries.length - 1 || !isLimit) {
        throw new UserError(`No instance of ${this.#options.image} can be started: ${lastLine(complaint)}`, {
          hint: 'Check terminal.singularity_image.',
        });
      }
      log.warning(`${this.name} runs without limits of memory and processors: ${lastLine(complaint)}`);
    }
  }

  #startArguments(): string[] {
    const { keptAs, mounts, scratch } = this.#options;
    const binds = mounts.flatMap(({ source, target, options }) => [
      '--bind',
      `${source}:${target}${options === undefined ? '' : `:${options}`}`,
    ]);
    const kept = keptAs === undefined ? undefined : made(join(scratch, 'hermes-overlays', `overlay-${keptAs}`));
    const changes = kept === undefined ? ['--writable-tmpfs'] : ['--overlay', kept];
    return ['instance', 'start', '--containall', '--no-home', ...changes, ...binds];
  }

  /** A file as it is; an address is built into one once. */
  async #image(engine: Engine, signal: AbortSignal): Promise<string> {
    const { image, scratch } = this.#options;
    if (!/^[a-z]+:\/\//.test(image)) {
      if (existsSync(image)) return image;
      throw new UserError(`There is no image ${image}.`, {
        hint: 'Set terminal.singularity_image to a file, or to an address such as docker://debian.',
      });
    }
    const file = join(made(join(scratch, 'images')), `${digest(image).slice(0, 16)}.sif`);
    if (existsSync(file)) return file;
    const building = `${file}.${randomBytes(4).toString('hex')}`;
    const { exitCode, complaint } = await ask(engine, ['build', building, image], signal, buildLimitMs).finally(() => {
      if (signal.aborted) rmSync(building, { force: true });
    });
    if (exitCode !== 0) {
      rmSync(building, { force: true });
      throw new UserError(`The image ${image} cannot be built: ${lastLine(complaint)}`, {
        hint: 'Check terminal.singularity_image, the network, and the space in terminal.scratch_dir.',
      });
    }
    renameSync(building, file);
    return file;
  }
}

function findSingularity(env: Variables): Engine {
  const program = searchPath('apptainer', env['PATH']) ?? searchPath('singularity', env['PATH']);
  if (program === undefined) {
    throw new UserError('Neither apptainer nor singularity is on PATH.', {
      hint: 'Install one of them, or choose another terminal.backend.',
    });
  }
  // Variables of these names would be set inside.
  const kept = Object.entries(env).filter(([name]) => !/^(APPTAINER|SINGULARITY)ENV_/.test(name));
  return { program, env: Object.fromEntries(kept) };
}

function made(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}
