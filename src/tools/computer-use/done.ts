/** What the driver says became of an input, in the words that models know. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { Delivery, Done } from './desktop.ts';
import { type DriverAnswer, textIn } from './read-answer.ts';

/** Told by themselves, or of use to callers of the driver's own tools alone. */
const told = new Set(
  `verified effect escalation path route degraded code reason_code refusal summary message hint next_call session
   delivery status evidence`.split(/\s+/),
);
const maxMetaChars = 2000;
const maxMessageChars = 2000;

export function doneOf({ text, facts, isError }: DriverAnswer, asked: Delivery['mode']): Done {
  const refusal = isJsonObject(facts['refusal']) ? facts['refusal'] : {};
  const said = text.trimStart().startsWith('{') ? undefined : text;
  const message = (said ?? textIn(facts, 'message') ?? textIn(facts, 'summary') ?? '').slice(0, maxMessageChars).trim();
  const hint = textIn(facts, 'suggestion');
  const { verified, degraded, escalation } = facts;
  const effect = textIn(facts, 'effect');
  const path = textIn(facts, 'path') ?? textIn(facts, 'route');
  const code = textIn(facts, 'code') ?? textIn(facts, 'reason_code') ?? textIn(refusal, 'code');
  const meta = metaOf(facts);
  const whole = hint === undefined ? message : `${message}\n${hint}`;
  return {
    ok: !isError,
    ...(whole === '' ? {} : { message: whole }),
    ...(typeof verified === 'boolean' ? { verified } : {}),
    ...(effect === undefined ? {} : { effect }),
    ...(isJsonObject(escalation) ? { escalation } : {}),
    ...(path === undefined ? {} : { path }),
    ...(typeof degraded === 'boolean' ? { degraded } : {}),
    ...(asked === undefined ? {} : { delivery_mode: asked }),
    ...(code === undefined ? {} : { code }),
    ...(meta === undefined ? {} : { meta }),
  };
}

/** What else it tells, such as what a click hit; too much is left out. */
function metaOf(facts: JsonObject): JsonObject | undefined {
  const rest: [string, JsonValue][] = Object.entries(facts).filter(
    ([name]) => !told.has(name) && name !== 'suggestion',
  );
  if (rest.length === 0) return undefined;
  const meta = Object.fromEntries(rest);
  return JSON.stringify(meta).length > maxMetaChars ? undefined : meta;
}
