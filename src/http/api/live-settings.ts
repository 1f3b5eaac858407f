/** The settings of the API server as they are now. */
import { type ApiServerSettings, apiServerSettings, keyProblem } from '../../config/api-server.ts';
import type { Program } from '../../runtime/program.ts';
import { SettingsOnDisk } from '../settings-on-disk.ts';

export class LiveSettings extends SettingsOnDisk<ApiServerSettings> {
  constructor(program: Pick<Program, 'options' | 'log'>) {
    const { profile } = program.options.home;
    super(program, 'the API server', (config, env) => apiServerSettings(config, env, profile));
  }

  /** Undefined while there is none that could be used. */
  async key(): Promise<string | undefined> {
    const { key } = await this.current();
    return keyProblem(key) === undefined ? key : undefined;
  }
}
