/** Browsers that the code of a plug-in lends. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { PluginProvider } from '../../plugins/packages/provider.ts';
import type { CloudBrowser, CloudEntry } from '../../tools/browser/cloud/cloud-browser.ts';
import { endMs, endpoint } from '../../tools/browser/cloud/lent-browser.ts';
import { readAnswer } from './read-answer.ts';

const startMs = 60_000;
const id = z.string().min(1).max(500);
const started = z
  .looseObject({ cdp_url: endpoint, session_id: id.optional(), bb_session_id: id.optional() })
  .refine(({ session_id, bb_session_id }) => (session_id ?? bb_session_id) !== undefined, 'session_id is missing');

/** Chosen by its name only. */
export function addedBrowser(provider: PluginProvider): CloudEntry {
  const { name, displayName, plugin } = provider;
  return {
    id: name,
    name: displayName,
    needs: `what the plug-in ${plugin} needs`,
    onlyNamed: true,
    isAvailable: () => provider.isAvailable(),
    load: () => Promise.resolve(lender(provider)),
  };
}

function lender(provider: PluginProvider): CloudBrowser {
  return {
    async start({ signal }) {
      const given = await provider.ask('create_session', [randomUUID()], { signal, deadlineMs: startMs });
      const { cdp_url, session_id, bb_session_id } = readAnswer(provider, started, given);
      return { id: session_id ?? bb_session_id ?? '', endpoint: cdp_url };
    },
    async end(lent, { signal }) {
      const options = { signal, deadlineMs: endMs };
      try {
        if ((await provider.ask('close_session', [lent], options)) !== false) return;
      } catch (error) {
        if (!provider.can('emergency_cleanup')) throw error;
      }
      if (provider.can('emergency_cleanup')) await provider.ask('emergency_cleanup', [lent], options);
    },
  };
}
