/** Whether a side task has a model of its own. Light, as it is asked at the start of sessions. */
import { filled } from '../config/env-values.ts';
import { sideTaskVariables } from '../config/model-variables.ts';
import type { SideTask } from '../llm/side-task.ts';
import type { RouteSources } from './route-services.ts';

/** True when the conversation's own model is asked: neither environment nor configuration name another one. */
export function isAskedOfMain(
  task: SideTask,
  settings: { readonly provider: string; readonly model: string; readonly base_url: string },
  sources: RouteSources,
): boolean {
  const { provider, model, baseUrl } = sideTaskVariables(sources.variables.named, task);
  const wanted = (provider ?? filled(settings.provider) ?? 'auto').toLowerCase();
  const ownModel = model ?? filled(settings.model);
  const ownServer = baseUrl ?? filled(settings.base_url);
  return ['auto', 'main'].includes(wanted) && ownModel === undefined && ownServer === undefined;
}
