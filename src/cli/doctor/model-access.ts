/** Doctor: which model providers have a key, and whether their endpoints answer. */
import { PROVIDER_KEYS } from '../../config/env-names.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import type { Check, Finding } from './finding.ts';

const DEADLINE_MS = 5000;

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
  async run({ cli, loaded }) {
    const endpoints = configuredEndpoints(cli, loaded);
    if (endpoints.length === 0) return [{ status: 'info', text: 'no endpoint to ask' }];
    return Promise.all(endpoints.map(askForModels));
  },
};

interface Endpoint {
  readonly label: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
}

/** Each key goes to its own provider only; a custom endpoint gets its own key, or the OpenAI one. */
function configuredEndpoints({ env }: CliContext, { config }: LoadedConfig): Endpoint[] {
  const endpoints: Endpoint[] = [];
  const { base_url, api_key, key_env } = config.model;
  if (base_url !== '') {
    const key = api_key || env[key_env] || env['OPENAI_API_KEY'];
    endpoints.push({ label: 'Endpoint of your own', baseUrl: base_url, key });
  }
  if (env['OPENROUTER_API_KEY']) {
    const baseUrl = env['OPENROUTER_BASE_URL'] || 'https://openrouter.ai/api/v1';
    endpoints.push({ label: 'OpenRouter', baseUrl, key: env['OPENROUTER_API_KEY'] });
  }
  if (env['OPENAI_API_KEY'] && base_url === '') {
    const baseUrl = env['OPENAI_BASE_URL'] || 'https://api.openai.com/v1';
    endpoints.push({ label: 'OpenAI', baseUrl, key: env['OPENAI_API_KEY'] });
  }
  return endpoints;
}

async function askForModels({ label, baseUrl, key }: Endpoint): Promise<Finding> {
  const host = hostOf(baseUrl);
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      // A redirect could carry the key to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    await response.body?.cancel();
    return judge(label, host, response.status);
  } catch (error) {
    return {
      status: 'fail',
      text: `${label}: ${host} does not answer`,
      detail: reasonOf(error),
      remedy: `Check the address of ${label} and your connection.`,
    };
  }
}

function judge(label: string, host: string, status: number): Finding {
  if (status === 401 || status === 403) {
    return {
      status: 'fail',
      text: `${label}: ${host} refuses the key`,
      detail: `HTTP ${status}`,
      remedy: `Set a valid key for ${label}.`,
    };
  }
  if (status >= 500) {
    return {
      status: 'warn',
      text: `${label}: ${host} is in trouble`,
      detail: `HTTP ${status}`,
      remedy: 'Try again later.',
    };
  }
  return { status: 'ok', text: label, detail: status === 200 ? host : `${host} answers with HTTP ${status}` };
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${DEADLINE_MS / 1000} s`;
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : errorMessage(error);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an invalid address';
}
