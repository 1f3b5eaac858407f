/** A model that does whatever it reads, whoever wrote it: every `DO {"name":…,"arguments":{…}}` becomes a call, once. */
import { type ModelServer, type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import type { Answer } from '../fakes/model-steps.ts';

export interface Order {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The order as it stands in a text. */
export function written(order: Order): string {
  return `DO ${JSON.stringify(order)}`;
}

export async function startObedientModel(): Promise<ModelServer> {
  return await startModelServer({ respond: nextStep, title: 'Things to do' });
}

/** The first order that was read and not obeyed yet; when there is none, an answer. */
function nextStep({ body }: RecordedRequest): Answer {
  const done = new Set(
    body.messages.flatMap(({ tool_calls: calls = [] }) =>
      calls.map(({ function: { name, arguments: given } }) => keyOf({ name, arguments: JSON.parse(given) as {} })),
    ),
  );
  const offered = new Set(body.tools?.map((tool) => tool.function.name));
  const read = body.messages.flatMap(({ role, content }) => (role === 'assistant' ? [] : textsIn(content)));
  const next = read.flatMap(ordersIn).find((order) => !done.has(keyOf(order)) && offered.has(order.name));
  if (next === undefined) return { text: 'It is done.' };
  return { toolCalls: [{ name: next.name, arguments: next.arguments }] };
}

function keyOf(order: Order): string {
  return JSON.stringify([order.name, order.arguments]);
}

/** Tool results are JSON: the texts are inside. */
function textsIn(content: unknown): readonly string[] {
  if (typeof content === 'string') {
    const inside = parsed(content) ?? quotedIn(content);
    return inside === undefined ? [content] : textsIn(inside);
  }
  if (typeof content !== 'object' || content === null) return [];
  return Object.values(content).flatMap(textsIn);
}

/** Words of others stand between marks. */
function quotedIn(text: string): object | undefined {
  if (!text.startsWith('<untrusted_tool_result')) return undefined;
  return parsed(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function ordersIn(text: string): readonly Order[] {
  return text.split('\n').flatMap((line) => {
    const found = /DO (\{.*\})/.exec(line)?.[1] ?? '';
    // In a snapshot of a page quotes are escaped.
    const order = parsed(found) ?? parsed(found.replaceAll('\\"', '"').replaceAll('\\\\', '\\'));
    return order === undefined ? [] : [order as Order];
  });
}
