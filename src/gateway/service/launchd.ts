/** The gateway as an agent of launchd. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { UserError } from '../../lib/errors.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { InstallOptions, RunProgram, Service, ServiceStatus } from './service.ts';

export interface LaunchdOptions {
  readonly label: string;
  /** Absolute path of the property list. */
  readonly file: string;
  readonly plist: string;
  readonly uid: number;
  readonly run: RunProgram;
}

export class Launchd implements Service {
  readonly file: string;
  readonly #options: LaunchdOptions;

  constructor(options: LaunchdOptions) {
    this.#options = options;
    this.file = options.file;
  }

  async status(): Promise<ServiceStatus> {
    if (!existsSync(this.file)) return { installed: false, active: false, enabled: false, stale: false };
    const { code, stdout } = await this.#launchctl('print', this.#target);
    return {
      installed: true,
      active: code === 0 && /\bstate = running\b/.test(stdout),
      enabled: code === 0,
      stale: readFileSync(this.file, 'utf8') !== this.#options.plist,
    };
  }

  async install({ startNow, startOnLogin }: InstallOptions): Promise<boolean> {
    const changed = this.#write();
    if (changed) await this.#launchctl('bootout', this.#target);
    await this.#do(startOnLogin ? 'enable' : 'disable', this.#target);
    if (startNow) await this.start();
    return changed;
  }

  async uninstall(): Promise<void> {
    // One that is not loaded cannot be unloaded; the file goes in any case.
    await this.#launchctl('bootout', this.#target);
    rmSync(this.file, { force: true });
  }

  /** One that was unloaded is loaded again. */
  async start(): Promise<void> {
    const changed = this.#write();
    if (changed) await this.#launchctl('bootout', this.#target);
    if ((await this.#launchctl('kickstart', this.#target)).code === 0) return;
    await this.#do('bootstrap', this.#domain, this.file);
    await this.#do('kickstart', this.#target);
  }

  async stop(): Promise<void> {
    await this.#do('bootout', this.#target);
  }

  async restart(): Promise<void> {
    if (this.#write()) await this.#launchctl('bootout', this.#target);
    if ((await this.#launchctl('kickstart', '-k', this.#target)).code !== 0) await this.start();
  }

  #write(): boolean {
    const { plist } = this.#options;
    if (existsSync(this.file) && readFileSync(this.file, 'utf8') === plist) return false;
    makeDirectories(dirname(this.file), 0o755);
    writeFileAtomic(this.file, plist);
    return true;
  }

  get #domain(): string {
    return `gui/${this.#options.uid}`;
  }

  get #target(): string {
    return `${this.#domain}/${this.#options.label}`;
  }

  async #launchctl(...words: readonly string[]) {
    return await this.#options.run('launchctl', words);
  }

  async #do(...words: readonly string[]): Promise<void> {
    const { code, stderr } = await this.#launchctl(...words);
    if (code === 0) return;
    throw new UserError(`'launchctl ${words.join(' ')}' failed: ${stderr.trim().split('\n')[0] ?? ''}`, {
      hint: 'Start the gateway in a terminal instead: hermes gateway run',
    });
  }
}
