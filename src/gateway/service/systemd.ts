/** The gateway as a systemd unit, of the user or of the system. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorCode, UserError } from '../../lib/errors.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { InstallOptions, RunProgram, Service, ServiceStatus } from './service.ts';

export interface SystemdOptions {
  /** Absolute path of the unit. */
  readonly file: string;
  /** What is to stand in it. */
  readonly unit: string;
  readonly scope: 'user' | 'system';
  /** We are root: units of the system can be changed. */
  readonly isRoot: boolean;
  readonly run: RunProgram;
}

export class Systemd implements Service {
  readonly file: string;
  readonly #options: SystemdOptions;
  readonly #name: string;

  constructor(options: SystemdOptions) {
    this.#options = options;
    this.file = options.file;
    this.#name = basename(options.file);
  }

  async status(): Promise<ServiceStatus> {
    if (!existsSync(this.file)) return { installed: false, active: false, enabled: false, stale: false };
    return {
      installed: true,
      active: (await this.#ask('is-active')) === 'active',
      enabled: (await this.#ask('is-enabled')) === 'enabled',
      stale: readFileSync(this.file, 'utf8') !== this.#options.unit,
    };
  }

  async install({ startNow, startOnLogin }: InstallOptions): Promise<boolean> {
    this.#requireRoot(`hermes gateway install --system`);
    // Asked before anything is written: without systemd the file would be of no use.
    await this.#do('show-environment');
    const changed = await this.#write();
    await this.#do(startOnLogin ? 'enable' : 'disable', this.#name);
    if (startNow) await this.#do('restart', this.#name);
    return changed;
  }

  async uninstall(): Promise<void> {
    this.#requireRoot('hermes gateway uninstall --system');
    await this.#do('disable', '--now', this.#name);
    rmSync(this.file, { force: true });
    await this.#do('daemon-reload');
  }

  async start(): Promise<void> {
    await this.#refresh();
    await this.#do('start', this.#name);
  }

  async stop(): Promise<void> {
    await this.#do('stop', this.#name);
  }

  async restart(): Promise<void> {
    await this.#refresh();
    await this.#do('restart', this.#name);
  }

  /** A definition from before an update names paths that may be gone. */
  async #refresh(): Promise<void> {
    if (this.#options.scope === 'user' || this.#options.isRoot) await this.#write();
  }

  async #write(): Promise<boolean> {
    const { unit } = this.#options;
    if (existsSync(this.file) && readFileSync(this.file, 'utf8') === unit) return false;
    makeDirectories(dirname(this.file), 0o755);
    writeFileAtomic(this.file, unit);
    await this.#do('daemon-reload');
    return true;
  }

  #requireRoot(command: string): void {
    const { scope, isRoot } = this.#options;
    if (scope === 'user' || isRoot) return;
    throw new UserError('Only root may change the services of the system.', { hint: `Run: sudo ${command}` });
  }

  async #ask(verb: string): Promise<string> {
    return (await this.#systemctl([verb, this.#name])).stdout.trim();
  }

  async #do(...words: readonly string[]): Promise<void> {
    const { code, stderr } = await this.#systemctl(words);
    if (code === 0) return;
    const command = `systemctl ${[...this.#scope, ...words].join(' ')}`;
    const { scope, isRoot } = this.#options;
    throw new UserError(`'${command}' failed: ${stderr.trim().split('\n')[0] ?? ''}`, {
      hint:
        scope === 'system' && !isRoot
          ? `Run it yourself: sudo ${command}`
          : 'Without a running systemd, start the gateway in a terminal: hermes gateway run',
    });
  }

  get #scope(): readonly string[] {
    return this.#options.scope === 'user' ? ['--user'] : [];
  }

  /** Whoever is not root may still be allowed to without a password; none is asked for. */
  async #systemctl(words: readonly string[]) {
    const { run, scope, isRoot } = this.#options;
    const args = [...this.#scope, ...words];
    const asks = words[0] === 'is-active' || words[0] === 'is-enabled';
    try {
      if (scope === 'system' && !isRoot && !asks) return await run('sudo', ['-n', 'systemctl', ...args]);
      return await run('systemctl', args);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      throw new UserError('There is no systemd here, so the gateway cannot be a service.', {
        hint: 'Run it in a terminal, or under what starts your programs: hermes gateway run',
        cause: error,
      });
    }
  }
}
