/** Doctor: which model providers have a key, and whether their endpoints answer. */
import { PROVIDER_KEYS } from '../../config/env-names.ts';
import { errorMessage } from '../../lib/errors.ts';
import { namedText } from '../../credentials/keys.ts';
import { isDead } from '../../credentials/cool-down.ts';
import { openCredentials } from '../auth/credentials.ts';
import { plain, providerName } from '../auth/describe.ts';
import type { CliContext } from '../command.ts';
import { checkReachability } from '../status/reachability.ts';
import type { Check, Finding } from './finding.ts';

export const authProviders: Check = {
  title: 'Auth Providers',
  async run({ cli, loaded }) {
    const findings = PROVIDER_KEYS.flatMap(([provider, ...names]): Finding[] => {
      const set = names.filter((name) => namedText(name, cli.env) !== undefined);
      return set.length === 0 ? [] : [{ status: 'ok', text: provider, detail: set.join(', ') }];
    });
    findings.push(...(await storedCredentials(cli)));
    const { base_url, default: model } = loaded.config.model;
    if (base_url !== '') findings.push({ status: 'ok', text: 'Endpoint of your own', detail: hostOf(base_url) });
    if (findings.length === 0) {
      findings.push({ status: 'warn', text: 'no provider has a key', remedy: 'Run `hermes setup` to choose a model.' });
    } else if (model === '') {
      findings.push({
        status: 'warn',
        text: 'no model is chosen',
        remedy: 'Run `hermes config set model.default NAME`.',
      });
    }
    return findings;
  },
};

/** Logins and keys of `auth.json`, and keys of saved endpoints. */
async function storedCredentials(cli: CliContext): Promise<Finding[]> {
  try {
    const known = await openCredentials(cli);
    return known.ids().flatMap((id): Finding[] => {
      const stored = known.of(id).filter(({ entry }) => !entry.source.startsWith('env:') || id.startsWith('custom:'));
      if (stored.length === 0) return [];
      const ended = stored.every(({ entry }) => isDead(entry));
      const labels = stored.map(({ entry }) => plain(entry.label)).join(', ');
      if (!ended) return [{ status: 'ok', text: providerName(known, id), detail: labels }];
      const remedy = `Log in again with \`hermes auth add ${plain(id)}\`.`;
      return [{ status: 'warn', text: `the login to ${providerName(known, id)} has ended`, detail: labels, remedy }];
    });
  } catch (error) {
    return [{ status: 'fail', text: plain(errorMessage(error)), remedy: 'Repair auth.json, or move it away.' }];
  }
}

export const connectivity: Check = {
  title: 'API Connectivity',
  run: ({ cli }) => checkReachability(cli),
};

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an invalid address';
}
