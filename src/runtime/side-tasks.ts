/** `auxiliary.*` of the configuration, in the shape that `llm/` asks for. */
import type { Config } from '../config/load.ts';
import { isJsonObject } from '../lib/json.ts';
import type { SideModelsOptions } from '../providers/side-models.ts';

export function sideTasks(auxiliary: Config['auxiliary']): ReturnType<SideModelsOptions['tasks']> {
  return Object.fromEntries(
    Object.entries(auxiliary).map(([task, { extra_body, ...settings }]) => [
      task,
      { ...settings, ...(isJsonObject(extra_body) && Object.keys(extra_body).length > 0 ? { extra_body } : {}) },
    ]),
  );
}
