/** What the environment says about a Home Assistant server. */
import { filled } from './env-values.ts';
import type { Variables } from './variables.ts';

export interface HomeAssistantVariables {
  /** `HASS_TOKEN`: a long-lived access token. */
  readonly token: string;
  /** `HASS_URL` */
  readonly url: string;
}

/** Undefined where there is no token. */
export function homeAssistantVariables(variables: Variables): HomeAssistantVariables | undefined {
  const token = filled(variables['HASS_TOKEN']);
  if (token === undefined) return undefined;
  return { token, url: filled(variables['HASS_URL']) ?? 'http://homeassistant.local:8123' };
}
