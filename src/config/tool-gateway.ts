/** The tool gateway of Nous Portal, through which a subscriber reaches services without keys of their own. */
import { UserError } from '../lib/errors.ts';
import { filled } from './env-values.ts';
import type { Variables } from './variables.ts';

/** What it is used for, as the portal calls it, with the vendor in its address. */
const vendors = {
  firecrawl: 'firecrawl',
  fal: 'fal-queue',
  'fal-video': 'fal-queue',
  krea: 'krea',
  'openai-audio': 'openai-audio',
  'browser-use': 'browser-use',
  modal: 'modal',
} as const;

export type GatewayUse = keyof typeof vendors;

/** What the owner has of it. Asks nobody: only a door does. */
export interface ToolGateway {
  /** There is a token or a login, whatever it is worth. */
  hasToken(): boolean;
  /** The subscription is known to include this. */
  covers(use: GatewayUse): boolean;
  door(use: GatewayUse): GatewayDoor;
}

/** How one service is asked through the gateway. */
export interface GatewayDoor {
  readonly kind: 'gateway';
  /** Without a slash at its end. */
  readonly address: string;
  /** A secret for this address alone. Rejects with a `UserError` in one line, and with the signal's reason. */
  token(signal: AbortSignal): Promise<string>;
  /** What an answer with this status means for the owner, in one line; undefined where it is not about the subscription. */
  refusal(status: number | undefined, told: string): string | undefined;
}

export type Way = { readonly kind: 'direct' } | { readonly kind: 'none' } | GatewayDoor;

/**
 * How a service is reached. `isWanted` is its `use_gateway`: then always through the gateway. Else with the key or the address
 * of the owner, and through the gateway only where there is none and the subscription is known to include it.
 */
export function wayTo(
  use: GatewayUse,
  { isWanted, hasOwn }: { readonly isWanted: boolean; readonly hasOwn: boolean },
  gateway: ToolGateway | undefined,
): Way {
  const isTaken = isWanted ? gateway?.hasToken() === true : !hasOwn && gateway?.covers(use) === true;
  if (isTaken && gateway !== undefined) return gateway.door(use);
  return { kind: hasOwn && !isWanted ? 'direct' : 'none' };
}

export interface GatewayVariables {
  /** `TOOL_GATEWAY_USER_TOKEN`: goes before the login. */
  readonly token: string | undefined;
  /** Where a vendor is asked. Throws `UserError` for variables that name no http address. */
  address(use: GatewayUse): string;
}

/** `TOOL_GATEWAY_SCHEME`, `TOOL_GATEWAY_DOMAIN`, and `<VENDOR>_GATEWAY_URL` for one that is elsewhere. */
export function gatewayVariables(env: Variables): GatewayVariables {
  return {
    token: filled(env['TOOL_GATEWAY_USER_TOKEN']),
    address(use) {
      const vendor = vendors[use];
      const name = `${vendor.toUpperCase().replaceAll('-', '_')}_GATEWAY_URL`;
      const own = filled(env[name]);
      if (own !== undefined) return httpAddress(own, name);
      const scheme = filled(env['TOOL_GATEWAY_SCHEME'])?.toLowerCase() ?? 'https';
      if (scheme !== 'http' && scheme !== 'https') {
        throw new UserError('TOOL_GATEWAY_SCHEME must be http or https; without it, it is https.');
      }
      const domain = filled(env['TOOL_GATEWAY_DOMAIN'])?.replace(/^\/+|\/+$/g, '') || 'nousresearch.com';
      return httpAddress(`${scheme}://${vendor}-gateway.${domain}`, 'TOOL_GATEWAY_DOMAIN');
    },
  };
}

function httpAddress(text: string, variable: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, '');
  throw new UserError(`${variable} does not make an address that begins with http: or https:.`);
}
