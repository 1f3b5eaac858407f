/** What the environment says about accounts at services that have sandboxes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filled } from './env-values.ts';
import { userDirectory } from './home.ts';
import type { Variables } from './variables.ts';

export interface DaytonaAccount {
  /** `DAYTONA_API_KEY` */
  readonly apiKey: string | undefined;
  /** `DAYTONA_API_URL`: an installation of one's own. */
  readonly apiUrl: string;
  /** `DAYTONA_TARGET`: the region. */
  readonly target: string | undefined;
}

export interface ModalAccount {
  /** `MODAL_TOKEN_ID` and `MODAL_TOKEN_SECRET`, when both are set. */
  readonly token: { readonly tokenId: string; readonly tokenSecret: string } | undefined;
  /** `MODAL_ENVIRONMENT` */
  readonly environment: string | undefined;
  /** Where its own program keeps tokens, `MODAL_CONFIG_PATH` or `~/.modal.toml`; undefined when that file is not there. */
  readonly profileFile: string | undefined;
}

/** What an account cannot do without. */
export const accountVariables = ['DAYTONA_API_KEY', 'MODAL_TOKEN_ID', 'MODAL_TOKEN_SECRET'] as const;

export type AccountVariable = (typeof accountVariables)[number];

export function isAccountVariableSet(env: Variables, name: AccountVariable): boolean {
  return filled(env[name]) !== undefined;
}

export function daytonaAccount(env: Variables): DaytonaAccount {
  return {
    apiKey: filled(env['DAYTONA_API_KEY']),
    apiUrl: filled(env['DAYTONA_API_URL']) ?? 'https://app.daytona.io/api',
    target: filled(env['DAYTONA_TARGET']),
  };
}

export function modalAccount(env: Variables): ModalAccount {
  const tokenId = filled(env['MODAL_TOKEN_ID']);
  const tokenSecret = filled(env['MODAL_TOKEN_SECRET']);
  const file = filled(env['MODAL_CONFIG_PATH']) ?? join(userDirectory(env), '.modal.toml');
  return {
    token: tokenId === undefined || tokenSecret === undefined ? undefined : { tokenId, tokenSecret },
    environment: filled(env['MODAL_ENVIRONMENT']),
    profileFile: existsSync(file) ? file : undefined,
  };
}
