/** Configuration: secret managers that values of variables are fetched from. */
import { bool, list, nested, number, section, text, textMap } from './fields.ts';

const secrets = () =>
  section({
    sources: list('Secret managers in the order they count'),
    bitwarden: nested(
      {
        enabled: bool(false, 'Fetch the secrets of a project'),
        access_token_env: text('BWS_ACCESS_TOKEN', 'The variable that holds the access token'),
        project_id: text('', 'The project'),
        cache_ttl_seconds: number(300, 'Seconds that fetched values are kept in the home; 0 keeps none'),
        override_existing: bool(true, 'Fetched values replace those of .env and the shell'),
        auto_install: bool(true, 'Download the program bws when it is missing'),
        server_url: text('', 'Another server than that of the United States'),
        timeout_seconds: number(120, 'Seconds that all of it may take', { min: 1, max: 3600 }),
      },
      'Bitwarden Secrets Manager',
    ).prefault({}),
    onepassword: nested(
      {
        enabled: bool(false, 'Fetch what env names'),
        env: textMap('Variables and their references (op://vault/item/field)'),
        account: text('', 'The account, where there are several'),
        service_account_token_env: text('OP_SERVICE_ACCOUNT_TOKEN', 'The variable that holds the token'),
        binary_path: text('', 'The program op, when it is not on PATH'),
        cache_ttl_seconds: number(300, 'Seconds that fetched values are kept in the home; 0 keeps none'),
        override_existing: bool(true, 'Fetched values replace those of .env and the shell'),
        timeout_seconds: number(120, 'Seconds that all of it may take', { min: 1, max: 3600 }),
      },
      '1Password',
    ).prefault({}),
  });

/** Top-level keys of this file. */
export const secretSections = { secrets };
