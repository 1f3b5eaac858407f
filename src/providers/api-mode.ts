/** Which wire format an endpoint speaks. */
import { hostMatches, isLocalHost } from '../llm/endpoint.ts';
import type { ApiMode } from '../llm/protocol.ts';
import type { ProviderWire } from '../llm/provider.ts';

export interface ApiModeRequest {
  /** What was asked for or configured, in order; values that are not known are ignored, as older files hold some. */
  readonly explicit: readonly (string | undefined)[];
  readonly profile: ProviderWire;
  readonly baseUrl: string;
  readonly model: string;
}

/**
 * Explicit and configured values, the provider's rules for single models, the providers that speak one format wherever
 * they are, what the address tells, and the provider's usual format. Models of OpenAI that are made for Responses get
 * it at OpenAI's own host even when chat completions was asked for.
 */
export function chooseApiMode({ explicit, profile, baseUrl, model }: ApiModeRequest): ApiMode {
  const url = URL.parse(baseUrl);
  const name = bareName(model);
  const asked = explicit.map(parseApiMode).find((mode) => mode !== undefined);
  const openAi = url !== null && hostMatches(url.hostname, 'api.openai.com');
  if (asked === 'chat_completions' && openAi && name.startsWith('gpt-5')) return 'codex_responses';
  if (asked !== undefined) return asked;
  const ofModel = profile.apiModes?.find(({ models }) => models.test(name));
  if (ofModel !== undefined) return ofModel.apiMode;
  if (profile.fixedApiMode === true) return profile.apiMode;
  const ofAddress = url === null ? undefined : modeOfAddress(url);
  if (ofAddress !== undefined) return ofAddress;
  const ofPath = profile.apiModesByPath?.find(({ path }) => url !== null && pathOf(url).endsWith(path));
  return ofPath?.apiMode ?? profile.apiMode;
}

/** Small letters, without the maker that some write before a slash. */
function bareName(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).toLowerCase();
}

function pathOf(url: URL): string {
  return url.pathname.replace(/\/+$/, '');
}

function modeOfAddress(url: URL): ApiMode | undefined {
  const path = pathOf(url);
  if (/\/anthropic(?:\/v1)?$/.test(path) || hostMatches(url.hostname, 'api.anthropic.com')) return 'anthropic_messages';
  if (hostMatches(url.hostname, 'api.openai.com') || hostMatches(url.hostname, 'api.x.ai')) return 'codex_responses';
  if (hostMatches(url.hostname, 'generativelanguage.googleapis.com')) {
    return path.endsWith('/openai') ? 'chat_completions' : 'gemini_generate';
  }
  // Where Ollama listens unless it is told otherwise; what else answers there is found out with the first request.
  if (url.port === '11434' && isLocalHost(url.hostname)) return 'ollama_chat';
  return /\/coding(?:\/|$)/.test(path) && url.hostname.includes('kimi') ? 'chat_completions' : undefined;
}

function parseApiMode(value: string | undefined): ApiMode | undefined {
  switch (value) {
    case 'chat_completions':
    case 'codex_responses':
    case 'anthropic_messages':
    case 'bedrock_converse':
    case 'ollama_chat':
      return value;
    default:
      return undefined;
  }
}
