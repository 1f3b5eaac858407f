/** Finds the readable part of an error body, whatever shape the server gave it. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { filteredCategories } from './filtered-categories.ts';
import { listOf, objectOf } from './read-json.ts';

export interface ErrorDetails {
  /** For people; empty when the body says nothing. No HTML. */
  readonly message: string;
  /** Everything that may hold a telling phrase, in lower case. */
  readonly searchable: string;
  /** What a content filter found; empty when the body does not say. */
  readonly filteredFor: string;
}

/** Longer bodies say nothing more. */
const maxBodyChars = 20_000;
const maxReasonChars = 100;

export function detailsOf(body: string): ErrorDetails {
  const text = body.slice(0, maxBodyChars).trim();
  const json = parseJson(text);
  if (json !== undefined && typeof json === 'object') return jsonDetails(json, text);
  const message = /^\s*<|<html|<!doctype/i.test(text) ? pageTitle(text) : text;
  return { message, searchable: message.toLowerCase(), filteredFor: '' };
}

function jsonDetails(json: JsonValue, text: string): ErrorDetails {
  const message = findMessage(json, 0);
  return {
    message: message.startsWith('<') ? pageTitle(message) : message,
    searchable: text.toLowerCase(),
    filteredFor: isJsonObject(json) ? filteredFor(objectOf(json['error']) ?? json) : '',
  };
}

/**
 * Azure's categories, and the reasons that OpenRouter passes on.
 * https://openrouter.ai/docs/api-reference/errors
 */
function filteredFor(error: JsonObject): string {
  const inner = objectOf(error['innererror']);
  const categories = filteredCategories(inner?.['content_filter_result'] ?? inner?.['content_filter_results']);
  const reasons = listOf(objectOf(error['metadata'])?.['reasons']).filter((reason) => typeof reason === 'string');
  return [...categories, ...reasons].join(', ').slice(0, maxReasonChars);
}

/**
 * `{error: {message}}`, `{error: "…"}`, `{message}`, `{detail}`, `{detail: [{msg}]}`, `{errors: [{message}]}`, lists of
 * these, and OpenRouter's `{error: {metadata: {raw}}}`, where the upstream provider's own words are.
 */
function findMessage(value: JsonValue | undefined, depth: number): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return findMessage(value[0], depth + 1);
  if (!isJsonObject(value) || depth > 4) return '';
  const upstream = objectOf(value['metadata'])?.['raw'];
  const own = ['error', 'message', 'detail', 'msg', 'errors', 'error_description']
    .map((key) => findMessage(value[key], depth + 1))
    .find((message) => message !== '');
  if (typeof upstream !== 'string' || upstream === '') return own ?? '';
  const upstreamMessage = detailsOf(upstream).message;
  return own === undefined || own === upstreamMessage ? upstreamMessage : `${own}: ${upstreamMessage}`;
}

function pageTitle(html: string): string {
  const title = /<title[^>]*>([^<]*)</i.exec(html)?.[1] ?? /<h1[^>]*>([^<]*)</i.exec(html)?.[1] ?? '';
  return title.trim() === '' ? 'a web page instead of an answer' : `a web page "${title.trim()}"`;
}

/** The status that an error body carries as `code` or `status`, when it is one of HTTP's. */
export function statusIn(error: JsonValue): number | undefined {
  const fields = objectOf(error);
  const code = Number(fields?.['code'] ?? fields?.['status']);
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined;
}
