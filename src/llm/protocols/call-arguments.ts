/**
 * The arguments of a stored call as a request may carry them. What a model wrote by mistake would have every later
 * request refused: arguments that are no JSON object, and text that is not Unicode (halves of characters, NUL), which
 * may also hide behind an escape. The call was answered already, and that answer stays.
 */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import type { ToolCall } from '../message.ts';

/** For formats that take the arguments as an object. */
export function argumentsObject(call: ToolCall): JsonObject {
  const value = valueOf(call.function.arguments);
  return isJsonObject(value) ? value : {};
}

/** For formats that take them as JSON text: as the model wrote it, wherever that will do. */
export function argumentsText({ function: { arguments: written } }: ToolCall): string {
  const value = valueOf(written);
  if (!isJsonObject(value)) return '{}';
  return mayBeNoUnicode(written) ? JSON.stringify(value) : written;
}

function valueOf(written: string): JsonValue | undefined {
  return parseJson(written, mayBeNoUnicode(written) ? cleaned : undefined);
}

function mayBeNoUnicode(text: string): boolean {
  return !text.isWellFormed() || /\\u(?:[dD][89a-fA-F]|0000)/.test(text);
}

function cleaned(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;
}
