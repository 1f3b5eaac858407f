/** `auxiliary.*` of the configuration, in the shape that `llm/` asks for. */
import type { Config } from '../config/load.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { effortOf } from '../llm/reasoning-effort.ts';
import type { SideModelsOptions } from '../providers/side-models.ts';

const minVideoSeconds = 180;

export function sideTasks(auxiliary: Config['auxiliary']): ReturnType<SideModelsOptions['tasks']> {
  const { transient_retries: _, moa_reference: _reference, moa_aggregator: _aggregator, video, ...named } = auxiliary;
  const { vision } = named;
  // A video is asked about as a picture is, with more time to send it.
  const watching = {
    ...vision,
    model: video.model || vision.model,
    timeout: Math.max(vision.timeout, minVideoSeconds),
  };
  return Object.fromEntries(
    Object.entries({ ...named, video: watching }).map(([task, { extra_body, reasoning_effort, ...settings }]) => [
      task,
      { ...settings, ...bodyOf(extra_body), reasoningEffort: effortOf(reasoning_effort) },
    ]),
  );
}

/** Nothing when nothing is to be merged into requests. */
export function bodyOf(extraBody: unknown): { readonly extra_body?: JsonObject } {
  return isJsonObject(extraBody) && Object.keys(extraBody).length > 0 ? { extra_body: extraBody } : {};
}
