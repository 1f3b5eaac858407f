/** What there is of plug-ins, for people. */
import { discoverPlugins } from '../plugins/packages/discover.ts';
import type { PluginReport } from './session.ts';
import type { SessionParts } from './session-parts.ts';

export async function pluginReports({
  home,
  env,
  config: { config, process },
  cwd,
  plugins,
}: Pick<SessionParts, 'home' | 'env' | 'config' | 'cwd' | 'plugins'>): Promise<readonly PluginReport[]> {
  const { enabled, disabled } = config.plugins;
  const projectPath = process.plugins.project ? cwd : undefined;
  const found = await discoverPlugins({ homePath: home.path, projectPath, enabled, disabled, env });
  return found.map(({ key, state, manifest, problem }): PluginReport => {
    const outcome = plugins?.outcomes.get(key);
    const plain = { name: key, version: manifest?.version ?? '', status: state };
    if (outcome !== undefined && !('problem' in outcome)) return { ...plain, registered: outcome };
    const why = outcome?.problem ?? (state === 'enabled' || state === 'unsupported (python)' ? problem : undefined);
    return why === undefined ? plain : { ...plain, problem: why };
  });
}
