/** `auxiliary.*` of the configuration, in the shape that `llm/` asks for. */
import type { Config } from '../config/load.ts';
import { readPluginTask } from '../config/plugin-task.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { effortOf } from '../llm/reasoning-effort.ts';
import type { LoadedPlugins } from '../plugins/packages/loaded.ts';
import type { SideModelsOptions } from '../providers/side-models.ts';

type Tasks = ReturnType<SideModelsOptions['tasks']>;

const minVideoSeconds = 180;

export function sideTasks(auxiliary: Config['auxiliary']): Tasks {
  const { transient_retries: _, moa_reference: _reference, moa_aggregator: _aggregator, video, ...named } = auxiliary;
  const { vision } = named;
  // A video is asked about as a picture is, with more time to send it.
  const watching = {
    ...vision,
    model: video.model || vision.model,
    timeout: Math.max(vision.timeout, minVideoSeconds),
  };
  return Object.fromEntries(
    Object.entries({ ...named, video: watching }).map(([task, settings]) => [task, asSettings(settings)]),
  );
}

/** Those that plug-ins brought, as the owner has set them. */
export function pluginTasks(plugins: Pick<LoadedPlugins, 'auxiliaryTasks'> | undefined, raw: JsonObject): Tasks {
  const { auxiliary } = raw;
  const written = isJsonObject(auxiliary) ? auxiliary : {};
  return Object.fromEntries(
    [...(plugins?.auxiliaryTasks ?? [])].map(([key, { defaults }]) => [
      key,
      asSettings(readPluginTask(written[key], defaults)),
    ]),
  );
}

function asSettings({ extra_body, reasoning_effort, ...settings }: Config['auxiliary']['plugin']): Tasks[string] {
  return { ...settings, ...bodyOf(extra_body), reasoningEffort: effortOf(reasoning_effort) };
}

/** Nothing when nothing is to be merged into requests. */
export function bodyOf(extraBody: unknown): { readonly extra_body?: JsonObject } {
  return isJsonObject(extraBody) && Object.keys(extraBody).length > 0 ? { extra_body: extraBody } : {};
}
