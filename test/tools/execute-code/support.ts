/** Conversations in which a fake model runs scripts. */
import type { TestContext } from 'node:test';
import { isJsonObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { type Chat, type ChatOptions, openChat, type PlaceOptions, textOf } from '../../runtime/support.ts';

export interface Scripts {
  readonly chat: Chat;
  readonly server: ModelServer;
  /** What the model reads of a script that it runs. */
  readonly run: (code: string) => Promise<JsonObject>;
}

export async function startScripts(
  t: TestContext,
  moreConfig = '',
  options: ChatOptions & PlaceOptions = {},
): Promise<Scripts> {
  const server = await startModelServer();
  t.after(() => server.close());
  const chat = await openChat(t, server, moreConfig, options);
  return { chat, server, run: (code) => runIn(chat, server, code) };
}

export async function runIn(chat: Chat, server: ModelServer, code: string): Promise<JsonObject> {
  server.enqueue(call(code), { text: 'Done.' });
  await chat.say('run it');
  return lastResult(server);
}

export function call(code: string) {
  return { toolCalls: [{ name: 'execute_code', arguments: { code } }] };
}

export function lastResult(server: ModelServer): JsonObject {
  const message = server.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'tool');
  const result = parseJson(textOf(message));
  if (!isJsonObject(result)) throw new Error(`no JSON object: ${textOf(message)}`);
  return result;
}
