/** The models of the small side tasks, a row for each. */
import type { Change } from '../../config/edit.ts';
import { type PluginTaskSettings, readPluginTask } from '../../config/plugin-task.ts';
import { valueAt } from '../../config/values.ts';
import { lookUpProvider } from '../../providers/choose-provider.ts';
import { oneLine } from '../render/terminal-text.ts';
import type { Plan } from './plan.ts';
import { pickModel } from './pick-model.ts';
import { providerChoices } from './pick-provider.ts';
import { isPinned } from './pins.ts';
import type { ModelSetting } from './setting.ts';

interface Route {
  readonly provider: string;
  readonly model: string;
  /** Wins over the provider. */
  readonly baseUrl: string;
}

const done = 'done:';
const byItself = 'the provider decides';

/** Stores nothing; undefined when nothing was changed. Throws `Cancelled`. */
export async function askForAuxiliary(setting: ModelSetting): Promise<Plan | undefined> {
  const { prompts, loaded } = setting;
  // Videos go to the provider of `vision`.
  const { transient_retries: _, video: _model, ...own } = loaded.config.auxiliary;
  const plugged = await pluginTasks(setting);
  const tasks = { ...own, ...Object.fromEntries([...plugged].map(([key, { settings }]) => [key, settings])) };
  const configured = new Map(
    Object.entries(tasks).map(([task, { provider, model, base_url }]): [string, Route] => [
      task,
      { provider, model, baseUrl: base_url },
    ]),
  );
  const chosen = new Map<string, Route>();
  for (;;) {
    const rows = [...configured].map(([task, route]) => {
      const pinned = isPinned(loaded.managed, `auxiliary.${task}`) ? ', set by your administrator' : '';
      const label = `${task}: currently ${describe(chosen.get(task) ?? route)}${pinned}`;
      const hint = plugged.get(task)?.hint;
      return { value: task, label, ...(hint === undefined ? {} : { hint }) };
    });
    const task = await prompts.pick('Which task?', [{ value: done, label: 'Done' }, ...rows]);
    if (task === done) break;
    if (isPinned(loaded.managed, `auxiliary.${task}`)) {
      prompts.say(`${task} is set by your administrator (${loaded.managed.configPath}).`);
      continue;
    }
    chosen.set(task, await askForRoute(setting, task));
  }
  if (chosen.size === 0) return undefined;
  return {
    changes: [...chosen].flatMap(([task, route]) => changesFor(task, route)),
    variables: [],
    summary: [...chosen].map(([task, route]) => `${task}: ${describe(route)}`).join(', '),
  };
}

interface PluginTaskRow {
  readonly settings: PluginTaskSettings;
  readonly hint: string;
}

/** Their code is loaded for it; what cannot be is told. */
async function pluginTasks({ context, loaded, prompts }: ModelSetting): Promise<ReadonlyMap<string, PluginTaskRow>> {
  if (loaded.config.plugins.enabled.length === 0) return new Map<string, PluginTaskRow>();
  const { openEnabledPlugins } = await import('../../runtime/open-hooks.ts');
  const { currentDirectory } = await import('../chat/current-directory.ts');
  const { home, env, log } = context;
  const warn = (line: string): void => prompts.say(oneLine(line, 300));
  const opened = await openEnabledPlugins({ home, env, config: loaded, cwd: currentDirectory() }, log, warn);
  try {
    return new Map(
      [...opened.auxiliaryTasks].map(([key, { defaults, displayName, description }]) => {
        const settings = readPluginTask(valueAt(loaded.raw, ['auxiliary', key]), defaults);
        const hint = oneLine([displayName, description].filter((text) => text !== '').join(': '), 100);
        return [key, { settings, hint }] as const;
      }),
    );
  } finally {
    await opened.close();
  }
}

async function askForRoute(setting: ModelSetting, task: string): Promise<Route> {
  const { prompts, settings, credentials } = setting;
  const provider = await prompts.pick(`Which provider for ${task}?`, [
    { value: 'auto', label: 'Auto', hint: 'the main model, or a cheap one of the same provider' },
    { value: 'main', label: 'Main model' },
    ...providerChoices(setting).filter(({ value }) => value !== 'demo'),
  ]);
  const found = lookUpProvider(provider, settings);
  if (provider === 'auto' || provider === 'main' || found === undefined) return { provider, model: '', baseUrl: '' };
  if (found.profile.auth === 'api_key' && credentials.of(found.id).every(({ secret }) => secret === '')) {
    prompts.say(`There is no key for ${found.id} yet: add one with \`hermes auth add ${found.id}\`.`);
  }
  const own = await prompts.select(`Which model for ${task}?`, [
    { value: 'default', label: found.profile.auxModel ?? byItself, hint: 'the default' },
    { value: 'other', label: 'Another one' },
  ]);
  const model = own === 'other' ? await pickModel(setting, { chosen: found, key: undefined }) : '';
  return { provider: found.id, model, baseUrl: '' };
}

/** An endpoint of its own would win over the provider, so it goes with its key. */
function changesFor(task: string, { provider, model }: Route): Change[] {
  const values = { provider, model: model === '' ? undefined : model, base_url: undefined, api_key: undefined };
  return Object.entries(values).map(([name, value]) => ({ path: ['auxiliary', task, name], value }));
}

function describe({ provider, model, baseUrl }: Route): string {
  if (baseUrl === '' && model === '' && (provider === 'auto' || provider === 'main')) {
    return provider === 'auto' ? 'auto' : 'main model';
  }
  return [baseUrl === '' ? provider : baseUrl, model].filter((part) => part !== '').join(' / ');
}
