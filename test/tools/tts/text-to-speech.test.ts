/** `text_to_speech` in a conversation. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as z from 'zod';
import { loadConfig } from '../../../src/config/load.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { secretMask } from '../../../src/runtime/secret-mask.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { startJsonServer } from '../../fakes/json-server.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { chatAt, placeFor } from '../../runtime/support.ts';

const resultSchema = z.looseObject({ success: z.boolean(), file_path: z.string().optional() });
const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\n';
const body = Buffer.from('sound');

interface Options {
  readonly surface?: string;
  readonly refused?: boolean;
  readonly tts?: object;
  readonly env?: Readonly<Record<string, string>>;
}

async function start(t: TestContext, { surface = 'cli', refused = false, tts: other, env = {} }: Options = {}) {
  const [model, service] = await Promise.all([
    startModelServer(),
    startJsonServer({
      'POST /v1/audio/speech': refused ? { status: 500, body: { error: 'broken sk-own-1234567' } } : { body },
    }),
  ]);
  t.after(() => Promise.all([model.close(), service[Symbol.asyncDispose]()]));
  const tts = other ?? { provider: 'openai', openai: { base_url: `${service.url}/v1`, api_key: 'sk-own-1234567' } };
  const place = placeFor(t, model, `tts: ${JSON.stringify(tts)}\n${quiet}`, { env });
  const chat = await chatAt(place, { toolsets: ['tts'], present: true, surface });
  const speak = async (args: JsonObject) => {
    model.enqueue({ toolCalls: [{ name: 'text_to_speech', arguments: args }] }, { text: 'Done.' });
    await chat.say('speak');
    const result = chat.session.agent.history.findLast(({ role }) => role === 'tool');
    const text = typeof result?.content === 'string' ? result.content : '';
    return { told: resultSchema.parse(JSON.parse(text)), sources: result?.sources };
  };
  return { model, service, place, chat, speak };
}

test('a text is spoken into the cache of the home, with the mark that sends it', async (t) => {
  const { place, speak, chat, model } = await start(t);
  const { told, sources } = await speak({ text: 'Hello.' });
  const path = told.file_path ?? '';
  assert.match(path, /\/cache\/audio\/tts_\d{8}_\d{6}(_\d+)?\.mp3$/);
  assert.ok(path.startsWith(place.homePath), path);
  assert.deepEqual(readFileSync(path), body);
  assert.deepEqual(told, {
    success: true,
    file_path: path,
    media_tag: `MEDIA:${path}`,
    provider: 'openai',
    voice_compatible: false,
  });
  assert.deepEqual(sources, [{ from: 'tool', name: 'text_to_speech' }]);
  assert.deepEqual(chat.asked, []);
  const offered = model.lastRequest.body.tools?.find(({ function: { name } }) => name === 'text_to_speech');
  assert.deepEqual(
    Object.keys(z.looseObject({ properties: z.looseObject({}) }).parse(offered?.function.parameters).properties),
    ['text', 'output_path'],
  );
  const again = await speak({ text: 'Hello again.' });
  assert.notEqual(again.told.file_path, path);
});

test('in Telegram it is Opus and a voice message', async (t) => {
  const { speak, service } = await start(t, { surface: 'telegram' });
  const { told } = await speak({ text: 'Hello.' });
  assert.equal(told['voice_compatible'], true);
  assert.equal(told['media_tag'], `[[audio_as_voice]]\nMEDIA:${told.file_path}`);
  assert.match(told.file_path ?? '', /\.ogg$/);
  assert.match(service.requests[0]?.body ?? '', /"response_format":"opus"/);
});

const programs = ['espeak-ng', 'ffmpeg'].every((name) => existsSync(join('/usr/bin', name)));

test('what a service does not make as Opus becomes a voice message through ffmpeg', {
  skip: programs ? false : 'there is no espeak-ng or no ffmpeg in /usr/bin',
}, async (t) => {
  const { speak } = await start(t, { surface: 'telegram', tts: { provider: 'espeak' }, env: { PATH: '/usr/bin' } });
  const { told } = await speak({ text: 'Hello.' });
  assert.equal(told['voice_compatible'], true, JSON.stringify(told));
  assert.match(
    readFileSync(told.file_path ?? '')
      .subarray(0, 60)
      .toString('latin1'),
    /^OggS.*OpusHead/s,
  );
});

test('a path is written like other files, and none that goes up or is no sound', async (t) => {
  const { speak, place, service } = await start(t);
  const { told } = await speak({ text: 'Hello.', output_path: 'talks/a.wav' });
  assert.deepEqual(readFileSync(join(place.work, 'talks', 'a.wav')), body);
  assert.equal(told.file_path, join(place.work, 'talks', 'a.wav'));
  assert.match(service.requests[0]?.body ?? '', /"response_format":"wav"/);
  for (const [output_path, reason] of [
    ['a/../../x.mp3', /'\.\.'/],
    ['notes.md', /must end in \.mp3/],
    [join(place.homePath, '.env.mp3'), /\S/],
  ] as const) {
    const { told: refused } = await speak({ text: 'Hello.', output_path });
    if (!output_path.endsWith('.env.mp3')) {
      assert.equal(refused.success, false);
      assert.match(String(refused['error']), reason);
    }
  }
  assert.equal(existsSync(join(place.work, '..', 'x.mp3')), false);
});

test('what the service says of a failure is its own text, without the key', async (t) => {
  const { speak } = await start(t, { refused: true });
  const { told, sources } = await speak({ text: 'Hello.' });
  assert.match(String(told['error']), /^OpenAI: status 500: broken/);
  assert.doesNotMatch(String(told['error']), /sk-own-1234567/);
  assert.deepEqual(sources, [{ from: 'server', name: 'OpenAI' }]);
});

test('a key that stands in the settings of speech is masked like every other', async (t) => {
  const { home, env, write } = temporaryHome(t);
  write('config.yaml', 'tts:\n  openai:\n    api_key: own-key-of-a-server\n');
  const mask = secretMask({ config: await loadConfig({ home, env }), env });
  assert.doesNotMatch(mask('the key is own-key-of-a-server.'), /own-key-of-a-server/);
});
