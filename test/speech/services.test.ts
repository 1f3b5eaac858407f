/** Services that speak, each in its own words over HTTP. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { speak } from '../../src/speech/speak.ts';
import type { AudioFormat } from '../../src/speech/audio-format.ts';
import { type JsonRequest, type Routes, startJsonServer } from '../fakes/json-server.ts';
import { accessWith, patience } from './support.ts';

const key = 'own-key-0123456789';
const bytes = Buffer.from('sound');

/** What a service was asked, and what came of it. `settings` are those of the provider. */
async function ask(
  t: TestContext,
  provider: string,
  routes: Routes,
  {
    settings = {},
    path = '/v1',
    format = 'mp3',
    text = 'Hello.',
    env = {},
  }: {
    readonly settings?: object;
    readonly path?: string;
    readonly format?: AudioFormat;
    readonly text?: string;
    readonly env?: Record<string, string>;
  } = {},
) {
  const server = await startJsonServer(routes);
  t.after(() => server[Symbol.asyncDispose]());
  const own = { base_url: `${server.url}${path}`, api_key: key, ...settings };
  const access = await accessWith(t, { provider, [provider]: own }, env);
  /** The sound, or why there is none. */
  const spoken = await speak(text, format, access, patience()).then(
    (speech) => Buffer.from(speech.bytes).toString('latin1'),
    ({ name, message }: Error) => `${name}: ${message}`,
  );
  return { spoken, asked: server.requests.map(readable) };
}

function readable({ method, path, headers, body }: JsonRequest) {
  const { authorization, 'xi-api-key': eleven, 'x-goog-api-key': google } = headers;
  return {
    path: `${method} ${path}`,
    key: authorization ?? eleven ?? google,
    body: body === '' ? undefined : JSON.parse(body),
  };
}

test('ElevenLabs is asked for a voice and a model, and for Opus by its own name', async (t) => {
  const route = { 'POST /v1/text-to-speech/a%2Fb': { body: bytes } };
  const { spoken, asked } = await ask(t, 'elevenlabs', route, {
    settings: { voice_id: 'a/b', model_id: 'eleven_v3', speed: 3 },
    format: 'ogg',
    text: 'a'.repeat(6000),
  });
  assert.equal(spoken, 'sound');
  assert.deepEqual(asked, [
    {
      path: 'POST /v1/text-to-speech/a%2Fb?output_format=opus_48000_64',
      key,
      body: { text: 'a'.repeat(5000), model_id: 'eleven_v3', voice_settings: { speed: 1.2 } },
    },
  ]);
});

test('MiniMax gives sound in hexadecimal digits, names the group of the account, and hides failures in a status 200', async (t) => {
  const fine = { base_resp: { status_code: 0, status_msg: 'success' }, data: { audio: bytes.toString('hex') } };
  const { spoken, asked } = await ask(
    t,
    'minimax',
    { 'POST /v1/t2a_v2': { body: fine } },
    { path: '/v1/t2a_v2', env: { MINIMAX_GROUP_ID: 'group-7' } },
  );
  assert.equal(spoken, 'sound');
  assert.deepEqual(asked, [
    {
      path: 'POST /v1/t2a_v2?GroupId=group-7',
      key: `Bearer ${key}`,
      body: {
        model: 'speech-02-hd',
        text: 'Hello.',
        voice_setting: { voice_id: 'English_expressive_narrator', speed: 1, vol: 1, pitch: 0, emotion: 'neutral' },
        audio_setting: { sample_rate: 32_000, bitrate: 128_000, format: 'mp3', channel: 1 },
      },
    },
  ]);
  const broke = { base_resp: { status_code: 1004, status_msg: `bad ${key}` }, data: null };
  const failed = await ask(t, 'minimax', { 'POST /v1/t2a_v2': { body: broke } }, { path: '/v1/t2a_v2' });
  assert.match(failed.spoken, /^UserError: MiniMax: code 1004: bad \S+$/);
  assert.doesNotMatch(failed.spoken, /own-key/);
  const older = await ask(
    t,
    'minimax',
    { 'POST /v1/text_to_speech': { headers: { 'content-type': 'audio/mpeg' }, body: bytes } },
    { path: '/v1/text_to_speech', settings: { group_id: 'g' } },
  );
  assert.equal(older.spoken, 'sound');
  assert.deepEqual(older.asked[0]?.body, {
    model: 'speech-02-hd',
    text: 'Hello.',
    voice_id: 'English_expressive_narrator',
  });
});

test('Mistral gives sound as base64', async (t) => {
  const route = { 'POST /v1/audio/speech': { body: { audio_data: bytes.toString('base64') } } };
  const { spoken, asked } = await ask(t, 'mistral', route, { format: 'ogg' });
  assert.equal(spoken, 'sound');
  assert.deepEqual(asked[0]?.body, {
    model: 'voxtral-mini-tts-2603',
    input: 'Hello.',
    voice_id: 'c69964a6-ab8b-4f8a-9465-ec0925096ec8',
    response_format: 'opus',
  });
  assert.equal(asked[0].key, `Bearer ${key}`);
});

test('Gemini gives bare samples, which become a file; its key stands in no address', async (t) => {
  const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: Buffer.alloc(48_000).toString('base64') };
  const body = { candidates: [{ content: { parts: [{ text: 'x' }, { inlineData }] } }] };
  const route = 'POST /v1/models/gemini-2.5-flash-preview-tts:generateContent';
  const { spoken, asked } = await ask(
    t,
    'gemini',
    { [route]: { body } },
    { format: 'wav', settings: { voice: 'Puck' } },
  );
  const wav = spoken;
  assert.match(wav, /^RIFF[^]{4}WAVEfmt /);
  assert.deepEqual(asked, [
    {
      path: route,
      key,
      body: {
        contents: [{ parts: [{ text: 'Hello.' }] }],
        generationConfig: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Puck' } } },
        },
      },
    },
  ]);
  const empty = await ask(t, 'gemini', { [route]: { body: { candidates: [] } } });
  assert.equal(empty.spoken, 'UserError: Gemini: there is no sound in its answer');
});

test('xAI is told of a format, a speed and a haste only where they are not as usual', async (t) => {
  const routes = { 'POST /v1/tts': { body: bytes } };
  const usual = await ask(t, 'xai', routes);
  assert.deepEqual(usual.asked[0]?.body, { text: 'Hello.', voice_id: 'eve', language: 'en' });
  const settings = { speed: 9, bit_rate: 64_000, optimize_streaming_latency: 1, language: 'de' };
  const { spoken, asked } = await ask(t, 'xai', routes, { settings });
  assert.equal(spoken, 'sound');
  assert.deepEqual(asked[0]?.body, {
    text: 'Hello.',
    voice_id: 'eve',
    language: 'de',
    output_format: { codec: 'mp3', sample_rate: 24_000, bit_rate: 64_000 },
    speed: 1.5,
    optimize_streaming_latency: 1,
  });
  const wav = await ask(t, 'xai', routes, { format: 'wav' });
  assert.deepEqual(wav.asked[0]?.body.output_format, { codec: 'wav', sample_rate: 24_000 });
});

test('DeepInfra is asked which of its models speaks, unless one is named', async (t) => {
  const models = {
    data: [
      { id: 'chat', metadata: { tags: ['chat'] } },
      { id: 'kokoro', metadata: { tags: ['tts'] } },
    ],
  };
  const routes = { 'GET /v1/models': { body: models }, 'POST /v1/audio/speech': { body: bytes } };
  const { spoken, asked } = await ask(t, 'deepinfra', routes);
  assert.equal(spoken, 'sound');
  assert.deepEqual(
    asked.map((one) => [one.path, one.key, one.body?.model, one.body?.voice]),
    [
      ['GET /v1/models?filter=true&sort_by=hermes', `Bearer ${key}`, undefined, undefined],
      ['POST /v1/audio/speech', `Bearer ${key}`, 'kokoro', 'default'],
    ],
  );
  const named = await ask(t, 'deepinfra', routes, { settings: { model: 'mine' } });
  assert.deepEqual(
    named.asked.map((one) => one.body?.model),
    ['mine'],
  );
  const none = await ask(t, 'deepinfra', { 'GET /v1/models': { body: { data: [] } } });
  assert.match(none.spoken, /lists no model that speaks/);
});

test('each of them keeps the key of the environment from another host, and takes it for its own', async (t) => {
  for (const [provider, variable, other, own] of [
    ['elevenlabs', 'ELEVENLABS_API_KEY', 'https://elevenlabs.example', 'https://api.us.elevenlabs.io/v1'],
    ['minimax', 'MINIMAX_API_KEY', 'https://minimax.io.example', 'https://api.minimaxi.com/v1/t2a_v2'],
    ['mistral', 'MISTRAL_API_KEY', 'http://api.mistral.ai', 'https://api.mistral.ai/v1'],
    ['gemini', 'GOOGLE_API_KEY', 'https://x.example', 'https://generativelanguage.googleapis.com/v1beta'],
    ['xai', 'XAI_API_KEY', 'https://notx.ai', 'https://eu-west-1.api.x.ai/v1'],
    ['deepinfra', 'DEEPINFRA_API_KEY', 'https://x.example', 'https://api.deepinfra.com/v1/openai'],
  ] as const) {
    const env = { [variable]: key };
    const outputAt = async (base_url: string) =>
      (await accessWith(t, { provider, [provider]: { base_url } }, env)).output;
    const elsewhere = await outputAt(other);
    assert.equal(elsewhere.kind, 'none', provider);
    assert.match(elsewhere.kind === 'none' ? elsewhere.why : '', /is not sent to/);
    const there = await outputAt(own);
    assert.equal(there.kind === 'speaker' && there.speaker.key, key, provider);
    const { output } = await accessWith(t, { provider }, env);
    assert.equal(output.kind === 'speaker' && output.speaker.key, key, provider);
  }
});
