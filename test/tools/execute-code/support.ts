/** Conversations in which a fake model runs scripts. */
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import * as z from 'zod';
import { parseJson } from '../../../src/lib/json.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { type Chat, type ChatOptions, openChat, type PlaceOptions, textOf } from '../../runtime/support.ts';

/** The search path of tests has the folders of the system alone. */
export const noNode = existsSync('/usr/bin/node') ? false : 'there is no /usr/bin/node';
export const noPython = existsSync('/usr/bin/python3') ? false : 'there is no /usr/bin/python3';

const scriptResult = z.looseObject({
  status: z.string(),
  output: z.string().default(''),
  error: z.string().default(''),
});

type Language = 'python' | 'javascript';

type ScriptResult = z.infer<typeof scriptResult>;

export interface Scripts {
  readonly chat: Chat;
  readonly server: ModelServer;
  /** What the model reads of a script that it runs. */
  readonly run: (code: string, language?: Language) => Promise<ScriptResult>;
  /** The same, of which only the output matters. */
  readonly printed: (code: string, language?: Language) => Promise<string>;
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
  const run: Scripts['run'] = async (code, language) => {
    server.enqueue(call(code, language), { text: 'Done.' });
    await chat.say('run it');
    return lastResult(server);
  };
  return { chat, server, run, printed: async (...given) => (await run(...given)).output };
}

export function call(code: string, language?: Language) {
  const given = language === undefined ? { code } : { code, language };
  return { toolCalls: [{ name: 'execute_code', arguments: given }] };
}

function lastResult(server: ModelServer): ScriptResult {
  const message = server.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'tool');
  return scriptResult.parse(parseJson(textOf(message)));
}
