/** Somebody speaks in a chat: a voice message on its way to the model. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { openMedia } from '../../src/gateway/media/open-media.ts';
import type { PlatformConnection } from '../../src/gateway/connections/platform-connection.ts';
import type { PlatformAdapter } from '../../src/gateway/platform/adapter.ts';
import type { Attachment, MessageEvent } from '../../src/gateway/platform/message-event.ts';
import { eventAt } from '../../src/gateway/platform/own-event.ts';
import { noLog } from '../../src/lib/log.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { type Routes, startJsonServer } from '../fakes/json-server.ts';
import { ChatService } from './chat-service.ts';

export interface Spoken {
  readonly routes?: Routes;
  readonly config?: (url: string) => string;
  readonly env?: Record<string, string> | ((url: string) => Record<string, string>);
  readonly bytes?: Buffer;
  readonly voice?: Partial<Attachment>;
}

/** What the model is given, what the chat is told, and what the service was asked. */
export async function speak(
  t: TestContext,
  { routes = {}, config, env = {}, bytes = Buffer.from('OggS'), voice }: Spoken,
) {
  const service = await startJsonServer(routes);
  t.after(() => service[Symbol.asyncDispose]());
  const place = temporaryHome(t);
  place.write('config.yaml', config?.(`${service.url}/v1`) ?? '');
  const variables = { ...place.env, ...(typeof env === 'function' ? env(`${service.url}/v1`) : env) };
  const loaded = await loadConfig({ home: place.home, env: variables });
  const media = openMedia({ options: { home: place.home, env: variables, config: loaded }, log: noLog });
  const told: string[] = [];
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(bytes);
  }
  const adapter: PlatformAdapter = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    chatInfo: () => Promise.resolve(undefined),
    send({ text }) {
      told.push(text);
      return Promise.resolve({ ok: true, messageId: null });
    },
    files: { fetch: () => Promise.resolve(chunks()), send: () => Promise.reject(new Error('nothing is sent here')) },
  };
  const { platform } = new ChatService();
  const attachment: Attachment = { kind: 'voice', reference: 'r', mime_type: 'audio/ogg', ...voice };
  const event: MessageEvent = { ...eventAt('fake', 'c1', null), attachments: [attachment] };
  const [file] = await media.receive(
    event,
    { adapter, platform } as unknown as PlatformConnection,
    new AbortController().signal,
  );
  assert.ok(file);
  const path = /(\/\S+audio_[0-9a-f]{12}\.\w+)/.exec(file.note)?.[1] ?? '';
  assert.deepEqual(readFileSync(path), bytes);
  return { file, told, requests: service.requests };
}
