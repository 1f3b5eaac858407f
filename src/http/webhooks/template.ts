/** Templates of prompts and deliveries: `{pull_request.title}` stands for what the payload says there. */
import { isJsonObject, type JsonValue } from '../../lib/json.ts';

export interface TemplateValues {
  readonly payload: JsonValue;
  readonly eventType: string;
}

const maxValueChars = 2000;
const maxPayloadChars = 4000;

/**
 * One pass: what comes from the payload is never expanded again. A name that the payload does not have stays as it is
 * written.
 *
 * @example
 * renderTemplate('PR {number}: {title}', { payload: { number: 7 }, eventType: 'x' }); // 'PR 7: {title}'
 */
export function renderTemplate(template: string, values: TemplateValues): string {
  return template.replaceAll(/\{([A-Za-z0-9_.]+)\}/g, (written, name: string) => valueOf(name, values) ?? written);
}

/** The prompt of a route that has none. */
export function defaultPrompt(route: string, { payload, eventType }: TemplateValues): string {
  return `Webhook event '${eventType}' on route '${route}':\n\n\`\`\`json\n${wholePayload(payload)}\n\`\`\``;
}

/** What stands at a dotted path, by own properties and places in lists alone; undefined when nothing does. */
export function atPath(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const part of path) {
    if (Array.isArray(found)) found = /^\d{1,9}$/.test(part) ? found[Number(part)] : undefined;
    else if (isJsonObject(found) && Object.hasOwn(found, part)) found = found[part];
    else return undefined;
  }
  return found;
}

function valueOf(name: string, { payload, eventType }: TemplateValues): string | undefined {
  if (name === '__raw__') return wholePayload(payload);
  if (name === 'event_type') return eventType;
  const value = atPath(payload, name.split('.'));
  if (value === undefined || typeof value === 'string') return value;
  return cut(JSON.stringify(value, null, 2), maxValueChars);
}

function wholePayload(payload: JsonValue): string {
  return cut(JSON.stringify(payload, null, 2), maxPayloadChars);
}

/** Never through the middle of a character. */
function cut(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}
