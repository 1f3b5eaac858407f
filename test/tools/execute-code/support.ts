/** Conversations in which a fake model runs scripts. */
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import * as z from 'zod';
import { parseJson } from '../../../src/lib/json.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { type Chat, type ChatOptions, openChat, type PlaceOptions, textOf } from '../../runtime/support.ts';

/** The search path of tests has the folders of the system alone. */
export const noPython = existsSync('/usr/bin/python3') ? false : 'there is no /usr/bin/python3';

const scriptResult = z.looseObject({
  status: z.string(),
  output: z.string().default(''),
  error: z.string().default(''),
});

type ScriptResult = z.infer<typeof scriptResult>;

export interface Scripts {
  readonly chat: Chat;
  readonly server: ModelServer;
  /** What the model reads of a script that it runs. */
  readonly run: (code: string) => Promise<ScriptResult>;
  /** The same, of which only the output matters. */
  readonly printed: (code: string) => Promise<string>;
}

/** Somebody is there and says yes: without a sandbox they are asked. */
export async function startScripts(
  t: TestContext,
  moreConfig = '',
  options: ChatOptions & PlaceOptions = {},
): Promise<Scripts> {
  const server = await startModelServer({ strict: true });
  t.after(() => server.close());
  const chat = await openChat(t, server, moreConfig, { present: true, ...options });
  chat.choice = 'once';
  const run = async (code: string): Promise<ScriptResult> => {
    server.enqueue(call(code), { text: 'Done.' });
    await chat.say('run it');
    return lastResult(server);
  };
  return { chat, server, run, printed: async (code) => (await run(code)).output };
}

export function call(code: string) {
  return { toolCalls: [{ name: 'execute_code', arguments: { code } }] };
}

function lastResult(server: ModelServer): ScriptResult {
  const message = server.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'tool');
  return scriptResult.parse(parseJson(textOf(message)));
}
