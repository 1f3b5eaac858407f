/** `hermes plugins list`. */
import { type FoundPlugin, whyNotLoaded } from '../../plugins/packages/discover.ts';
import type { CliContext } from '../command.ts';
import { terminalText } from '../render/terminal-text.ts';
import { findPlugins } from './find-plugins.ts';

export interface ListOptions {
  readonly enabled?: true;
  readonly user?: true;
  readonly plain?: true;
  readonly json?: true;
}

export async function listPlugins(context: CliContext, options: ListOptions): Promise<void> {
  const { io, settings } = context;
  const all = await findPlugins(context);
  if (settings.plugins.debug) {
    for (const plugin of all)
      io.stderr.write(`[plugins] ${plugin.key} in ${plugin.folder}: ${whyNotLoaded(plugin) ?? 'loaded'}\n`);
  }
  const rows = all
    .filter(
      ({ state, source }) =>
        (options.enabled !== true || state === 'enabled') && (options.user !== true || source === 'user'),
    )
    .map(({ key, state, source, manifest, problem, packageName }) => ({
      name: key,
      status: state,
      version: manifest?.version ?? '',
      description: manifest?.description ?? '',
      source,
      problem,
      // Where it has another name than its package.
      from: packageName === undefined || packageName === key ? '' : `(npm:${packageName})`,
    }));
  if (options.json === true) {
    const data = rows.map(({ name, status, version, description, source }) => ({
      name,
      status,
      version,
      description,
      source,
    }));
    io.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
    return;
  }
  if (rows.length === 0 && options.plain !== true) {
    io.stdout.write('There are no plug-ins. One is a folder with a plugin.yaml below plugins/ in the home.\n');
    return;
  }
  const notes = options.plain === true ? new Map<string, readonly string[]>() : await notesOf(context, all);
  for (const { name, status, version, description, source, problem, from } of rows) {
    const line = `${status.padEnd(12)} ${source.padEnd(8)} ${version.padEnd(8)} ${name}`;
    const more = [description, from]
      .flatMap((part) => (options.plain === true || part === '' ? [] : `  ${part}`))
      .join('');
    io.stdout.write(`${terminalText(`${line}${more}`)}\n`);
    if (options.plain === true) continue;
    const told = new Set([...(problem === undefined ? [] : [problem]), ...(notes.get(name) ?? [])]);
    for (const note of told) io.stdout.write(`  ⚠ ${terminalText(note)}\n`);
  }
}

/** By key, one line each. The code of those that are enabled is loaded, where there is any. */
export async function notesOf(
  context: CliContext,
  all: readonly Pick<FoundPlugin, 'state'>[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (!all.some(({ state }) => state === 'enabled')) return new Map();
  const { pluginNotes } = await import('./plugin-notes.ts');
  return await pluginNotes(context);
}
