/** What the environment says of the browser beside the settings. */
import { filled } from './env-values.ts';
import type { Variables } from './variables.ts';

export interface BrowserVariables {
  /** `AGENT_BROWSER_EXECUTABLE_PATH` */
  readonly executable: string | undefined;
  /** `AGENT_BROWSER_ARGS`: arguments of the browser, with commas or lines between them. */
  readonly args: readonly string[] | undefined;
  /** `PLAYWRIGHT_BROWSERS_PATH` */
  readonly playwright: string | undefined;
}

export function browserVariables(variables: Variables): BrowserVariables {
  const args = filled(variables['AGENT_BROWSER_ARGS']);
  return {
    executable: filled(variables['AGENT_BROWSER_EXECUTABLE_PATH']),
    args: args
      ?.split(/[,\n]/)
      .map((arg) => arg.trim())
      .filter((arg) => arg !== ''),
    playwright: filled(variables['PLAYWRIGHT_BROWSERS_PATH']),
  };
}
