/** Brings older spellings of the configuration into today's form, in memory only. */
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { removeAt, setAt, valueAt } from './values.ts';

/** A copy of the file's data in today's form. Where old and new spelling stand side by side, the new one wins. */
export function normaliseLegacy(data: JsonObject): JsonObject {
  const result = structuredClone(data);
  modelAsMap(result);
  endpointFields(result);
  move(result, 'max_turns', 'agent.max_turns');
  move(result, 'terminal.env_type', 'terminal.backend');
  for (const field of ['model', 'provider', 'base_url']) {
    move(result, `compression.summary_${field}`, `auxiliary.compression.${field}`);
  }
  move(result, 'fallback_model', 'fallback_providers');
  move(result, 'curator.auxiliary', 'auxiliary.curator');
  progressOverrides(result);
  share(result, 'personalities', 'agent.personalities');
  share(result, 'gateway.streaming', 'streaming');
  share(result, 'platforms', 'gateway.platforms');
  move(result, 'gateway.streaming', 'streaming');
  return result;
}

function modelAsMap(data: JsonObject): void {
  if (typeof data['model'] === 'string') data['model'] = { default: data['model'] };
  move(data, 'model.model', 'model.default');
  for (const key of ['provider', 'base_url', 'context_length']) {
    if (!isJsonObject(data[key])) move(data, key, `model.${key}`);
  }
  // As the libraries of OpenAI and LiteLLM call it.
  for (const key of ['api_base', 'model.api_base']) move(data, key, 'model.base_url');
}

/** Entries of endpoints are also written with names as in JavaScript. */
function endpointFields(data: JsonObject): void {
  const { custom_providers: list, providers: map } = data;
  const entries = [...(Array.isArray(list) ? list : []), ...(isJsonObject(map) ? Object.values(map) : [])];
  for (const entry of entries.filter(isJsonObject)) {
    for (const field of ['apiKey', 'apiKeyEnv', 'apiMode', 'baseUrl', 'contextLength', 'defaultModel', 'keyEnv']) {
      move(
        entry,
        field,
        field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      );
    }
  }
}

function progressOverrides(data: JsonObject): void {
  const overrides = valueAt(data, ['display', 'tool_progress_overrides']);
  if (!isJsonObject(overrides)) return;
  for (const [platform, value] of Object.entries(overrides)) {
    const path = ['display', 'platforms', platform, 'tool_progress'];
    if (valueAt(data, path) === undefined) setAt(data, path, value);
  }
}

/** Moves a value to its new key unless that is set already. */
function move(data: JsonObject, from: string, to: string): void {
  const source = from.split('.');
  const value = valueAt(data, source);
  if (value === undefined) return;
  removeAt(data, source);
  if (isOpen(valueAt(data, to.split('.')))) setAt(data, to.split('.'), value);
}

/** Lays the map under one key beneath the map under another one; both keys stay readable. */
function share(data: JsonObject, from: string, to: string): void {
  const source = valueAt(data, from.split('.'));
  const target = valueAt(data, to.split('.'));
  if (!isJsonObject(source)) return;
  if (isOpen(target)) setAt(data, to.split('.'), structuredClone(source));
  else if (isJsonObject(target)) setAt(data, to.split('.'), { ...structuredClone(source), ...target });
}

function isOpen(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
