/** `hermes mcp serve` in this process, and a client that speaks with it over the streams. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { serve } from '../../src/cli/mcp/serve/serve.ts';
import { loadEnvironment } from '../../src/config/dotenv.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { openSessionStore, storeOf } from '../../src/sessions/open-store.ts';
import { newRoute } from '../../src/sessions/route-entry.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { type TemporaryHome, temporaryHome } from '../config/temporary-home.ts';
import { contextOn } from './config/run-command.ts';

export interface ServeClient {
  readonly input: PassThrough;
  readonly ended: Promise<void>;
  /** Every line of standard output, as it came. */
  readonly lines: readonly string[];
  readonly stderr: () => string;
  readonly request: (method: string, params?: object) => Promise<Record<string, unknown>>;
  /** What a tool answers, parsed. */
  readonly call: (name: string, args?: JsonObject) => Promise<Record<string, unknown>>;
}

export interface ServedHome extends TemporaryHome {
  /** Opened, and closed after the test. */
  store(): Promise<SessionStore>;
  serve(options?: { readonly verbose?: true; readonly shakesHands?: boolean }): Promise<ServeClient>;
}

export function servedHome(t: TestContext): ServedHome {
  const place = temporaryHome(t);
  let store: Promise<SessionStore> | undefined;
  return {
    ...place,
    async store() {
      if (store === undefined) {
        store = openSessionStore(storeOf(place.home.path));
        const opened = await store;
        t.after(() => opened.close());
      }
      return await store;
    },
    serve: async ({ verbose, shakesHands = true } = {}) => {
      const { env } = loadEnvironment(place.home, place.env);
      const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
      const context = contextOn({ home: place.home, env }, { stdin: input, stdout: output, stderr: errors });
      const ended = serve(context, verbose === undefined ? {} : { verbose });
      t.after(async () => {
        input.end();
        await ended;
      });
      const client = clientOf({ input, output, errors, ended });
      if (shakesHands) {
        const clientInfo = { name: 'test', version: '1' };
        await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
        input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      }
      return client;
    },
  };
}

/** A conversation of a chat on the fake platform `telegram`, as the gateway writes it down. */
export async function chatIn(
  store: SessionStore,
  id: string,
  chat: { readonly chatId: string; readonly name: string },
) {
  const { chatId, name } = chat;
  const sessionKey = `agent:main:telegram:dm:${chatId}`;
  const origin = {
    platform: 'telegram',
    chat_id: chatId,
    chat_name: name,
    chat_type: 'dm',
    user_id: chatId,
    user_name: name.toLowerCase(),
    thread_id: null,
  };
  const ofChat = { chatId, chatType: 'dm', threadId: null, displayName: name, origin: JSON.stringify(origin) };
  await store.sessions.create({ id, source: 'telegram', chat: { sessionKey, ...ofChat } });
  const route = { session_key: sessionKey, session_id: id, display_name: name, platform: 'telegram', chat_type: 'dm' };
  await store.chatRoutes.putRight();
  await store.chatRoutes.save([newRoute({ ...route, origin }, { startedAt: Date.now(), now: Date.now() })]);
  return sessionKey;
}

interface Streams {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly errors: PassThrough;
  readonly ended: Promise<void>;
}

function clientOf({ input, output, errors, ended }: Streams): ServeClient {
  const lines: string[] = [];
  const waiting = new Map<number, (message: Record<string, unknown>) => void>();
  let said = '';
  let rest = '';
  errors.on('data', (piece: Buffer) => (said += piece.toString()));
  output.on('data', (piece: Buffer) => {
    const whole = `${rest}${piece.toString()}`.split('\n');
    rest = whole.pop() ?? '';
    for (const line of whole) {
      lines.push(line);
      const message = JSON.parse(line) as Record<string, unknown>;
      waiting.get(Number(message['id']))?.(message);
    }
  });
  let id = 0;
  const request: ServeClient['request'] = async (method, params = {}) => {
    id += 1;
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(id, resolve);
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return await promise;
  };
  return {
    input,
    ended,
    lines,
    stderr: () => said,
    request,
    async call(name, args = {}) {
      const { result } = (await request('tools/call', { name, arguments: args })) as {
        result: { content: { text: string }[]; structuredContent?: { result: string }; isError: boolean };
      };
      const text = result.content[0]?.text ?? '';
      if (result.isError) return { refused: text };
      assert.equal(result.structuredContent?.result, text);
      return JSON.parse(text) as Record<string, unknown>;
    },
  };
}
