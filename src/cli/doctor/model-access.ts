/** Doctor: which model providers have a key, and whether their endpoints answer. */
import { PROVIDER_KEYS } from '../../config/env-names.ts';
import { checkReachability } from '../status/reachability.ts';
import type { Check, Finding } from './finding.ts';

export const authProviders: Check = {
  title: 'Auth providers',
  run({ cli, loaded }) {
    const findings = PROVIDER_KEYS.flatMap(([provider, ...names]): Finding[] => {
      const set = names.filter((name) => cli.env[name]);
      return set.length === 0 ? [] : [{ status: 'ok', text: provider, detail: set.join(', ') }];
    });
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

export const connectivity: Check = {
  title: 'API connectivity',
  run: ({ cli }) => checkReachability(cli),
};

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an invalid address';
}
