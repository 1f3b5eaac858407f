/** What the environment says of browsers of a cloud. */
import { filled } from './env-values.ts';
import type { Variables } from './variables.ts';

export interface CloudBrowserVariables {
  readonly browserbase: {
    /** `BROWSERBASE_API_KEY` */
    readonly key: string | undefined;
    /** `BROWSERBASE_PROJECT_ID` */
    readonly project: string | undefined;
    /** `BROWSERBASE_BASE_URL` */
    readonly url: string | undefined;
    /** `BROWSERBASE_PROXIES`, default true. */
    readonly proxies: boolean;
    /** `BROWSERBASE_ADVANCED_STEALTH`, default false. */
    readonly advancedStealth: boolean;
    /** `BROWSERBASE_KEEP_ALIVE`, default true. */
    readonly keepAlive: boolean;
    /** `BROWSERBASE_SESSION_TIMEOUT`, seconds. */
    readonly seconds: number | undefined;
  };
  /** `BROWSER_USE_API_KEY` */
  readonly browserUseKey: string | undefined;
  /** `FIRECRAWL_BROWSER_TTL`, seconds; default 300. */
  readonly firecrawlSeconds: number;
}

const longestSession = 21_600;

export function cloudBrowserVariables(variables: Variables): CloudBrowserVariables {
  const isSaid = (name: string, usual: boolean): boolean =>
    (filled(variables[name]) ?? String(usual)).toLowerCase() === 'true';
  const seconds = wholeNumber(variables['BROWSERBASE_SESSION_TIMEOUT']);
  return {
    browserbase: {
      key: filled(variables['BROWSERBASE_API_KEY']),
      project: filled(variables['BROWSERBASE_PROJECT_ID']),
      url: filled(variables['BROWSERBASE_BASE_URL']),
      proxies: isSaid('BROWSERBASE_PROXIES', true),
      advancedStealth: isSaid('BROWSERBASE_ADVANCED_STEALTH', false),
      keepAlive: isSaid('BROWSERBASE_KEEP_ALIVE', true),
      seconds: seconds === undefined ? undefined : Math.min(seconds, longestSession),
    },
    browserUseKey: filled(variables['BROWSER_USE_API_KEY']),
    firecrawlSeconds: wholeNumber(variables['FIRECRAWL_BROWSER_TTL']) ?? 300,
  };
}

function wholeNumber(text: string | undefined): number | undefined {
  const value = Number(filled(text) ?? 'none');
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
