/** How the tools of a session reach the owner's Home Assistant server. */
import { homeAssistantVariables } from '../config/home-assistant-variables.ts';
import { modelVariables } from '../config/model-variables.ts';
import { type Fetch, fetchOver } from '../lib/fetch-over.ts';
import { homeAssistantAt, type HomeAssistant } from '../tools/homeassistant/home-assistant.ts';
import type { SessionParts } from './session-parts.ts';

/** Undefined without a token. Opens nothing before something is asked. */
export function sessionHomeAssistant({ env }: Pick<SessionParts, 'env'>): HomeAssistant | undefined {
  const settings = homeAssistantVariables(env);
  if (settings === undefined) return undefined;
  let opened: Fetch | undefined;
  return homeAssistantAt({
    ...settings,
    fetch(url, request) {
      opened ??= fetchOver(modelVariables(env).network);
      return opened(url, request);
    },
  });
}
