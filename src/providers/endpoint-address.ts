/** Where the requests of a provider go. */
import { UserError } from '../lib/errors.ts';
import { socketAddress, socketOf } from '../lib/socket-address.ts';
import { googleCredentialsFile } from '../config/model-variables.ts';
import { projectOfAccount } from '../credentials/clouds/google-account.ts';
import { namedText } from '../credentials/keys.ts';
import { filled, withoutUserInfo } from '../config/env-values.ts';
import { type ChosenProvider, namesProvider, type RouteRequest } from './choose-provider.ts';
import { hostMatches } from '../llm/endpoint.ts';
import type { ModelSettings } from './model-settings.ts';
import type { RouteSources } from './route-services.ts';

export interface Address {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly hostname: string;
  /** The provider's own host, not one that the user put in its place. */
  readonly ownHost: boolean;
  /** Nobody chose it: it is the provider's default. */
  readonly isDefault: boolean;
}

/** What decides where requests go. */
export interface AddressRequest {
  readonly chosen: ChosenProvider;
  readonly request: RouteRequest;
  /** The settings that are about this provider. */
  readonly own: ModelSettings;
}

/**
 * Asked for, saved, configured, from the environment, or the provider's own. Throws `UserError` when there is none, or
 * it is no http(s) URL.
 */
export function addressOf({ chosen, request, own }: AddressRequest, sources: RouteSources): Address {
  const { profile, saved } = chosen;
  const chosenByUser =
    filled(request.baseUrl) ??
    filled(saved?.base_url) ??
    filled(own.base_url) ??
    fromEnvironment(profile, request, sources);
  const named = chosenByUser ?? profile.cloudBaseUrl?.(placeOf(profile, sources)) ?? profile.baseUrl;
  const written = socketAddress(named) ?? withUsualPath(named, profile.usualPath);
  const url = urlOf(written, chosen);
  const domain = URL.parse(profile.baseUrl)?.hostname;
  const ownDomains = [...(profile.keyDomains ?? []), ...(domain === undefined ? [] : [domain])];
  return {
    baseUrl: withoutSlash(written),
    hostname: url.hostname,
    ownHost: chosenByUser === undefined || ownDomains.some((own) => hostMatches(url.hostname, own)),
    isDefault: chosenByUser === undefined,
  };
}

/** Without a slash at its end, and without the path of a request that was copied along. */
export function withoutSlash(url: string): string {
  const base = url.trim().replace(/\/+$/, '');
  return base.replace(/\/(?:chat\/completions|responses|v1\/messages)$/, '').replace(/\/+$/, '');
}

function withUsualPath(written: string, path: string | undefined): string {
  return path !== undefined && URL.parse(written)?.pathname === '/' ? `${withoutSlash(written)}${path}` : written;
}

/** Region and project; the configuration beats the environment. */
export function placeIn({ settings, variables: { cloud } }: RouteSources) {
  return {
    awsRegion: filled(settings.bedrock?.region) ?? cloud.awsRegion,
    googleProject: filled(settings.vertex?.project_id) ?? cloud.googleProject,
    googleLocation: filled(settings.vertex?.region) ?? cloud.googleLocation,
  };
}

/** Where nobody names a project, it is that of the account whose file is configured. */
function placeOf({ auth }: ChosenProvider['profile'], sources: RouteSources) {
  const place = placeIn(sources);
  if (auth !== 'google' || place.googleProject !== undefined) return place;
  const file = googleCredentialsFile(sources.variables.named);
  return { ...place, googleProject: file === undefined ? undefined : projectOfAccount(file) };
}

function fromEnvironment(
  { id, baseUrlVariable, baseUrlVariableIsShared }: ChosenProvider['profile'],
  request: RouteRequest,
  sources: RouteSources,
): string | undefined {
  if (baseUrlVariableIsShared === true && !namesProvider(id, request, sources)) return undefined;
  return namedText(baseUrlVariable, sources.variables.named);
}

function urlOf(written: string, { id, profile }: ChosenProvider): URL {
  if (written === '') {
    const usual = `Set it with \`hermes config set model.base_url <url>\`, or ${profile.baseUrlVariable ?? 'base_url'} in the environment.`;
    throw new UserError(`No address is set for provider '${id}'.`, { hint: profile.addressHint ?? usual });
  }
  const url = URL.parse(written);
  if (url !== null && socketOf(url) !== undefined) return url;
  if (url !== null && /^https?:$/.test(url.protocol)) {
    refuseForbiddenPort(url, id);
    return url;
  }
  const shown = withoutUserInfo(written);
  throw new UserError(`The address of provider '${id}' is not an http(s) URL: ${shown}`, {
    hint: 'Correct it with `hermes config set model.base_url <url>`; a socket is written unix:///path/to.sock:/v1.',
  });
}

/** Ports that no request may go to, from "port blocking" (https://fetch.spec.whatwg.org/#port-blocking), above 1023. */
const FORBIDDEN_PORTS = new Set(
  '1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'.split(' '),
);

function refuseForbiddenPort({ port }: URL, id: string): void {
  if (!FORBIDDEN_PORTS.has(port)) return;
  throw new UserError(`The address of provider '${id}' has port ${port}, which HTTP clients refuse to call.`, {
    hint: 'Let the server listen on another port (8000, for instance), and correct model.base_url.',
  });
}
