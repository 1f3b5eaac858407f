/**
 * Narrow readers for JSON that a provider sent. They replace a schema where tens of thousands of small events are
 * parsed: a field of the wrong type reads as absent, because endpoints differ in ways that must not break an answer.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';

export function stringOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A count; anything but a finite number of at least zero is 0. */
export function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
