/** Which provider answers: named, configured, from the environment, or found by its key. */
import { filled } from '../config/env-values.ts';
import { UserError } from '../lib/errors.ts';
import { hostMatches, isLocalHost } from '../llm/endpoint.ts';
import { hasKey, namedText } from '../credentials/keys.ts';
import { usableSecret } from '../lib/secrets.ts';
import type { CustomProvider, ModelSettings } from './model-settings.ts';
import { NotConfiguredError } from './not-configured.ts';
import type { ProviderProfile } from '../llm/provider.ts';
import { custom } from './profiles/custom.ts';
import { providerCatalogue } from './catalogue.ts';
import type { RouteSources } from './route-services.ts';
import { openrouter } from './profiles/openrouter.ts';

/** A provider, and the saved endpoint when it is one of the user's own. */
export interface ChosenProvider {
  /** A profile's id, or `custom:<name>`. */
  readonly id: string;
  readonly profile: ProviderProfile;
  readonly saved?: CustomProvider;
}

/** What was asked for this time, over what is configured. */
export interface RouteRequest {
  readonly model?: string;
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Variable that holds the key. */
  readonly keyEnv?: string;
  readonly apiMode?: string;
  /** The provider's own model is meant, not the one that was named for this process. */
  readonly ownModel?: boolean;
  /** For scripts: the provider's usual model, which changes with the times, is not taken silently. */
  readonly modelMustBeNamed?: boolean;
  /** Asked beside the conversation; preferences for the conversation do not count. */
  readonly sideTask?: boolean;
}

/**
 * Explicit request, then `model.provider`, then `HERMES_INFERENCE_PROVIDER`, then `auto`. Throws `UserError` for a
 * name that is not known, and `NotConfiguredError` when `auto` finds nothing at all.
 */
export function chooseProvider(request: RouteRequest, sources: RouteSources): ChosenProvider {
  const { settings, variables } = sources;
  const asked = named(request.provider);
  const url = filled(request.baseUrl);
  if (asked !== undefined) return providerNamed(asked, settings, url);
  if (url !== undefined) return providerAt(url, settings);
  const name = named(settings.provider) ?? named(variables.provider);
  return name === undefined ? findProvider(request, sources) : providerNamed(name, settings);
}

/**
 * Id of the provider that `model.*` of the configuration is about: `none` when it names none, undefined when
 * it names one that is not known here.
 */
export function configuredProvider(settings: ModelSettings): string | undefined {
  const name = named(settings.provider);
  if (name !== undefined) return lookUpProvider(name, settings)?.id;
  const baseUrl = filled(settings.base_url);
  return baseUrl === undefined ? 'none' : providerAt(baseUrl, settings).id;
}

/** True when the flag, the configuration or the environment names this provider, so that it was not just found. */
export function namesProvider(id: string, request: RouteRequest, { settings, variables }: RouteSources): boolean {
  const name = named(request.provider) ?? named(settings.provider) ?? named(variables.provider);
  return name !== undefined && lookUpProvider(name, settings)?.id === id;
}

/** Every profile, those of the home first. */
export function allProfiles(settings: ModelSettings): readonly ProviderProfile[] {
  const own = settings.profiles ?? [];
  const replaced = new Set(own.map(({ id }) => id));
  return own.length === 0 ? providerCatalogue : [...own, ...providerCatalogue.filter(({ id }) => !replaced.has(id))];
}

/** The profile with this id or alias; upper and lower case are the same. */
export function findProfile(name: string, settings: ModelSettings): ProviderProfile | undefined {
  const wanted = name.trim().toLowerCase();
  return allProfiles(settings).find(({ id, aliases }) => id === wanted || aliases.includes(wanted));
}

/**
 * The provider with this id, alias, `custom:<name>`, or name of a saved endpoint, with the address that was asked for.
 * Throws `UserError`.
 */
function providerNamed(name: string, settings: ModelSettings, url?: string): ChosenProvider {
  const found = lookUpProvider(name, settings, url);
  if (found !== undefined) return found;
  if (copilotProgram.has(name.trim().toLowerCase())) {
    throw new UserError(`Provider '${name}' runs Copilot's own program, which this build does not.`, {
      hint: 'Use provider `copilot`: the same models, with `hermes auth add copilot` or a GitHub token.',
    });
  }
  const known = [
    ...allProfiles(settings).map(({ id }) => id),
    ...(settings.custom_providers ?? []).map((entry) => `custom:${slug(entry.name)}`),
  ];
  throw new UserError(`Unknown provider '${name}'. Known providers: ${known.join(', ')}.`, {
    hint: 'Name one with --provider or `hermes config set model.provider <name>`; a server of your own goes into `providers`.',
  });
}

const copilotProgram: ReadonlySet<string> = new Set(['copilot-acp', 'github-copilot-acp', 'copilot-acp-agent']);

/** `url` is the address that was named with it, if any. */
export function lookUpProvider(name: string, settings: ModelSettings, url?: string): ChosenProvider | undefined {
  const [prefix, rest] = splitOnce(name.trim(), ':');
  if (prefix.toLowerCase() === 'custom' && rest !== undefined) return savedProvider(rest, settings);
  const profile = findProfile(name, settings);
  const saved = profile === undefined || profile.givesWayToSaved ? savedProvider(name, settings) : undefined;
  if (saved !== undefined || profile === undefined) return saved;
  const address = url ?? (isSame(name, settings.provider) ? filled(settings.base_url) : undefined);
  if (profile.givesWayToSaved === true && address !== undefined) return { id: custom.id, profile: custom };
  // `ollama` without an address means the saved endpoint that somebody called so.
  const meant = profile.id === custom.id && address === undefined ? savedProvider(name, settings) : undefined;
  return meant ?? { id: profile.id, profile };
}

function isSame(name: string, other: string | undefined): boolean {
  return name.trim().toLowerCase() === other?.trim().toLowerCase();
}

/** Names match without regard to case; spaces are hyphens. */
export function savedProvider(name: string, settings: ModelSettings): ChosenProvider | undefined {
  const wanted = slug(name);
  const entries = settings.custom_providers ?? [];
  const saved =
    entries.find((entry) => entry.name !== '' && slug(entry.name) === wanted) ??
    entries.find(({ id }) => id !== undefined && slug(id) === wanted);
  return saved === undefined ? undefined : { id: `custom:${slug(saved.name)}`, profile: custom, saved };
}

/** `auto`: an address, a key, the login used last, a provider's key, an endpoint of one's own; OpenRouter at last. */
function findProvider(request: RouteRequest, sources: RouteSources): ChosenProvider {
  const { settings } = sources;
  const baseUrl = filled(settings.base_url);
  if (baseUrl !== undefined) return providerAt(baseUrl, settings);
  const fallback: ChosenProvider = { id: openrouter.id, profile: openrouter };
  if (usableSecret(request.apiKey ?? settings.api_key) !== undefined) return fallback;
  const found = lastLogin(settings) ?? withKey(sources) ?? ownEndpoint(sources);
  if (found !== undefined) return found;
  const model = filled(request.model) ?? filled(settings.default) ?? filled(settings.model);
  if (model === undefined) throw new NotConfiguredError();
  // A model but no key: the message about the missing key says what to do.
  return fallback;
}

function lastLogin(settings: ModelSettings): ChosenProvider | undefined {
  const active = settings.stored?.active();
  const login =
    active === undefined || settings.stored?.has(active) !== true ? undefined : lookUpProvider(active, settings);
  return login?.profile.auth === 'api_key' ? undefined : login;
}

function withKey({ settings, variables }: RouteSources): ChosenProvider | undefined {
  const profile = allProfiles(settings).find(
    (known) => known.auth === 'api_key' && (hasKey(known, variables.named) || settings.stored?.has(known.id) === true),
  );
  return profile === undefined ? undefined : { id: profile.id, profile };
}

function ownEndpoint({ settings, variables }: RouteSources): ChosenProvider | undefined {
  const saved = (settings.custom_providers ?? []).find((entry) => entry.name !== '' && entry.base_url !== '');
  if (saved !== undefined) return { id: `custom:${slug(saved.name)}`, profile: custom, saved };
  const url = namedText(custom.baseUrlVariable, variables.named);
  return url === undefined ? undefined : { id: custom.id, profile: custom };
}

/** The provider whose own address this is; anybody else's is a custom endpoint. */
function providerAt(baseUrl: string, settings: ModelSettings): ChosenProvider {
  const hostname = URL.parse(baseUrl)?.hostname ?? '';
  const own = allProfiles(settings).find((profile) => {
    const domain = URL.parse(profile.baseUrl)?.hostname;
    // A server on this machine may be anything; a login is never sent along for an address that was typed.
    const byKey = profile.auth === 'api_key';
    return byKey && domain !== undefined && !isLocalHost(domain) && hostMatches(hostname, domain);
  });
  const profile = own ?? custom;
  return { id: profile.id, profile };
}

/** The text, or undefined for nothing and for the value that means "choose yourself". */
function named(value: string | undefined): string | undefined {
  const name = filled(value);
  return name?.toLowerCase() === 'auto' ? undefined : name;
}

/** The parts before and behind the first separator. */
export function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}

function slug(name: string): string {
  return name.trim().toLowerCase().replaceAll(/\s+/g, '-');
}
