/**
 * Reads the text out of stream events that differ from an earlier one in nothing but that text. Most events of a long
 * answer do, and reading them so costs a tenth of parsing each as JSON.
 */
import type { JsonObject } from '../../lib/json.ts';
import { listOf, objectOf } from './read-json.ts';

export interface DeltaTemplate {
  /** The event up to and with the quote that opens the text. */
  readonly before: string;
  /** The quote that closes it, and the rest. */
  readonly after: string;
}

/** A template from an event that adds text and nothing else; `undefined` when it does more, or is not unambiguous. */
export function templateOf(data: string, event: JsonObject): DeltaTemplate | undefined {
  if (event['usage'] !== undefined && event['usage'] !== null) return undefined;
  const choices = listOf(event['choices']);
  const choice = objectOf(choices[0]);
  const delta = objectOf(choice?.['delta']);
  const content = delta?.['content'];
  if (choices.length !== 1 || typeof content !== 'string' || content === '') return undefined;
  if (choice?.['finish_reason'] !== undefined && choice['finish_reason'] !== null) return undefined;
  if (Object.keys(delta ?? {}).some((key) => key !== 'content' && key !== 'role')) return undefined;
  const literal = JSON.stringify(content);
  const field = /"content":\s*/.exec(data);
  if (field === null) return undefined;
  const start = field.index + field[0].length;
  // A second field of the name, or a text that was escaped in another way, leaves doubt.
  if (!data.startsWith(literal, start) || data.includes('"content"', start + literal.length)) return undefined;
  return { before: data.slice(0, start + 1), after: data.slice(start + literal.length - 1) };
}

/** The text of an event that fits the template; `undefined` for every other event, which is then parsed. */
export function readByTemplate(data: string, { before, after }: DeltaTemplate): string | undefined {
  const end = data.length - after.length;
  if (end < before.length || !data.startsWith(before) || !data.endsWith(after)) return undefined;
  const text = data.slice(before.length, end);
  // A quote, an escape or a control character: not plain text, or not JSON at all.
  return plain.test(text) ? text : undefined;
}

const plain = /^[^"\\\u0000-\u001f]*$/;
