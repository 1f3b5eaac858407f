/** Every service that lends browsers, in the order in which one is looked for. To add one: one file, one entry here. */
import { UserError } from '../../../lib/errors.ts';
import type { CloudAccess, CloudEntry } from './cloud-browser.ts';

const cloudBrowsers: readonly CloudEntry[] = [
  {
    id: 'browserbase',
    name: 'Browserbase',
    needs: 'BROWSERBASE_API_KEY and BROWSERBASE_PROJECT_ID',
    isAvailable: ({ cloud: { browserbase } }) => browserbase.key !== undefined && browserbase.project !== undefined,
    load: async () => (await import('./browserbase.ts')).browserbase,
  },
  {
    id: 'browser-use',
    name: 'Browser Use',
    needs: 'BROWSER_USE_API_KEY or a login of Nous Portal (hermes auth add nous)',
    isAvailable: ({ browserUse }) => browserUse.kind !== 'none',
    load: async () => (await import('./browser-use.ts')).browserUse,
  },
  {
    id: 'firecrawl',
    name: 'Firecrawl',
    needs: 'FIRECRAWL_API_KEY',
    onlyNamed: true,
    isAvailable: ({ firecrawl }) => firecrawl.key !== undefined,
    load: async () => (await import('./firecrawl.ts')).firecrawl,
  },
];

/** What `browser.cloud_provider` means by itself. */
export const cloudNames: readonly string[] = [...cloudBrowsers.map(({ id }) => id), 'local', 'auto'];

/**
 * The service that `browser.cloud_provider` means; undefined: the browser of this machine. Throws `UserError` for a name that
 * there is not, and for a service that lacks its keys: another one was not meant. `added`: those of plug-ins.
 */
export function chooseCloud(
  named: string,
  access: Omit<CloudAccess, 'fetch'>,
  added: readonly CloudEntry[] = [],
): CloudEntry | undefined {
  if (named === 'local') return undefined;
  if (named === 'auto' || named === '')
    return cloudBrowsers.find((entry) => entry.onlyNamed !== true && entry.isAvailable(access));
  const all = [...cloudBrowsers, ...added];
  const entry = all.find(({ id }) => id === named);
  if (entry === undefined) {
    const known = [...all.map(({ id }) => id), 'local', 'auto'].join(', ');
    throw new UserError(`browser.cloud_provider is '${named}', which is not one of: ${known}.`);
  }
  if (!entry.isAvailable(access))
    throw new UserError(`browser.cloud_provider is ${named}, which needs ${entry.needs}.`);
  return entry;
}
