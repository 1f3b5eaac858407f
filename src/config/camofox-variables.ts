/** What the environment says of a Camofox server beside the settings. */
import { filled } from './env-values.ts';
import type { Variables } from './variables.ts';

export interface CamofoxVariables {
  /** `CAMOFOX_URL`; undefined: there is none. */
  readonly url: string | undefined;
  /** `CAMOFOX_API_KEY` */
  readonly key: string | undefined;
}

export function camofoxVariables(variables: Variables): CamofoxVariables {
  return { url: filled(variables['CAMOFOX_URL']), key: filled(variables['CAMOFOX_API_KEY']) };
}
