/** What a server answers to somebody without a login: whether it asks for one, and where it says that one can be had. */
import { type AuthProvider, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { connect, type ConnectPorts } from '../connect.ts';
import type { ServerSettings } from '../settings.ts';

export interface Challenge {
  readonly isAsked: boolean;
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
}

class Asked extends Error {}

/** Rejects when the server cannot be reached or answers with something else. */
export async function askForChallenge(
  settings: ServerSettings,
  ports: ConnectPorts,
  signal: AbortSignal,
): Promise<Challenge> {
  let challenge: Challenge | undefined;
  const nobody: AuthProvider = {
    token: () => Promise.resolve(undefined),
    onUnauthorized({ response }) {
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
      challenge = { isAsked: true, resourceMetadataUrl, scope: scope?.slice(0, 1000) };
      return Promise.reject(new Asked('it asks for a login'));
    },
  };
  try {
    const asStranger = { ...ports, authProvider: () => Promise.resolve(nobody) };
    const connection = await connect(settings, asStranger, { onToolsChanged: () => undefined }, signal);
    await connection.close().catch(() => undefined);
  } catch (error) {
    if (challenge === undefined) throw error;
  }
  return challenge ?? { isAsked: false };
}
