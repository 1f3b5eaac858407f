/** `auxiliary.*` of the configuration, in the shape that `llm/` asks for. */
import type { Config } from '../config/load.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { effortOf } from '../llm/reasoning-effort.ts';
import type { SideModelsOptions } from '../providers/side-models.ts';

export function sideTasks(auxiliary: Config['auxiliary']): ReturnType<SideModelsOptions['tasks']> {
  const { transient_retries: _, moa_reference: _reference, moa_aggregator: _aggregator, ...tasks } = auxiliary;
  return Object.fromEntries(
    Object.entries(tasks).map(([task, { extra_body, reasoning_effort, ...settings }]) => [
      task,
      { ...settings, ...bodyOf(extra_body), reasoningEffort: effortOf(reasoning_effort) },
    ]),
  );
}

/** Nothing when nothing is to be merged into requests. */
export function bodyOf(extraBody: unknown): { readonly extra_body?: JsonObject } {
  return isJsonObject(extraBody) && Object.keys(extraBody).length > 0 ? { extra_body: extraBody } : {};
}
