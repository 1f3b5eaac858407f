/**
 * Thought signatures: opaque proofs of thinking that Gemini wants back exactly where it put them.
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import type { AssistantMessage, ToolCall } from '../../message.ts';
import { listOf, objectOf, stringOf } from '../read-json.ts';

/** The name that OpenRouter gives to Gemini's kind of reasoning detail; with it both routes can replay the other's. */
const format = 'google-gemini-v1';

/** What Google documents for calls that come from another model and so have no signature. */
export const foreignCallSignature = 'skip_thought_signature_validator';

/** `extra_content` of a tool call, as in Google's OpenAI-compatible endpoint. */
export function callExtra(signature: string): JsonObject {
  return { google: { thought_signature: signature } };
}

/** `reasoning_details` of a message whose text was signed. */
export function textDetails(signature: string): JsonObject[] {
  return [{ type: 'reasoning.encrypted', format, data: signature, index: 0 }];
}

/** Undefined when the call has none, or one that is no base64 and would have the request refused. */
export function callSignature(call: ToolCall, message: AssistantMessage): string | undefined {
  const own = objectOf(objectOf(call.extra_content)?.['google'])?.['thought_signature'];
  return usable(own) ?? usable(detailsOf(message).find((detail) => detail['id'] === call.id)?.['data']);
}

/** Signature of the visible text. */
export function textSignature(message: AssistantMessage): string | undefined {
  return usable(detailsOf(message).find((detail) => stringOf(detail['id']) === '')?.['data']);
}

function detailsOf(message: AssistantMessage): JsonObject[] {
  return listOf(message.reasoning_details).flatMap((entry) => {
    const detail = objectOf(entry);
    return detail?.['type'] === 'reasoning.encrypted' && detail['format'] === format ? [detail] : [];
  });
}

function usable(value: JsonValue | undefined): string | undefined {
  const text = stringOf(value);
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? text : undefined;
}
