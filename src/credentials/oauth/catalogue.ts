/** Which providers one can log in to, and the login of each, loaded when it is used. */
import type { LoginContext, OAuthLogin } from './login.ts';

/** Ids of the providers with a login. */
export const loginProviders = ['nous', 'openai-codex', 'copilot', 'xai-oauth', 'minimax-oauth'] as const;

export type LoginProvider = (typeof loginProviders)[number];

export function isLoginProvider(id: string): id is LoginProvider {
  return loginProviders.some((provider) => provider === id);
}

/** The login of a provider. Throws `UserError` when something has to be configured first (a client id). */
export async function openLogin(provider: LoginProvider, context: LoginContext): Promise<OAuthLogin> {
  switch (provider) {
    case 'nous':
      return (await import('./nous.ts')).nousLogin(context);
    case 'openai-codex':
      return (await import('./openai-codex.ts')).codexLogin(context);
    case 'copilot':
      return (await import('./copilot.ts')).copilotLogin(context);
    case 'xai-oauth':
      return (await import('./xai.ts')).xaiLogin(context);
    case 'minimax-oauth':
      return (await import('./minimax.ts')).minimaxLogin(context);
  }
}
