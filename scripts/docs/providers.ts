/** The page of the model providers, from their profiles. */
import type { AuthKind, ProviderProfile } from '../../src/llm/provider.ts';
import { providerCatalogue } from '../../src/providers/catalogue.ts';
import { blocks, code, codes, type Page, plain, table } from './markdown.ts';

const ways: Readonly<Record<AuthKind, string>> = {
  api_key: 'key',
  optional_api_key: 'key, where the server wants one',
  oauth_device_code: 'login with a code',
  oauth_pkce: 'login in the browser',
  copilot: 'GitHub token',
  aws: 'AWS credentials',
  google: 'Google Cloud credentials',
  external_process: 'a program that is logged in by itself',
  none: 'nothing',
};

export function providersPage(): Page {
  return {
    name: 'providers.md',
    text: blocks(
      '# Providers',
      'The ids and aliases are what `--provider`, `model.provider` and `hermes auth add` take. A key is read from the first of its variables that is set, in the environment or in `.env`, or from what `hermes auth add` stored. How to choose among them: [models](../models.md).',
      table(
        ['id', 'name', 'aliases', 'you need', 'variables of the key', 'variable of the address', 'default model'],
        providerCatalogue.map(row),
      ),
      '## Addresses',
      'Where each is asked unless its variable or `model.base_url` says otherwise, and in which wire format.',
      table(
        ['id', 'address', 'wire format', 'where to get a key'],
        providerCatalogue.map(({ id, baseUrl, apiMode, apiModes, inProcess, signupUrl }) => [
          code(id),
          inProcess === undefined ? code(baseUrl) : 'in the program itself',
          inProcess === undefined
            ? codes([...new Set([apiMode, ...(apiModes ?? []).map((each) => each.apiMode)])])
            : '',
          signupUrl === undefined ? '' : `<${signupUrl}>`,
        ]),
      ),
    ),
  };
}

function row(profile: ProviderProfile): string[] {
  const { id, name, aliases, auth, keyVariables, baseUrlVariable, defaultModel } = profile;
  return [
    code(id),
    plain(name ?? id),
    codes([...aliases].sort()),
    ways[auth],
    codes(keyVariables),
    code(baseUrlVariable ?? ''),
    code(defaultModel ?? ''),
  ];
}
