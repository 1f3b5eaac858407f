/** Each service that hears is asked in its own format. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { speak } from './speak.ts';

const field = (name: string, value: string): RegExp => new RegExp(`name="${name}"\\r\\n\\r\\n${value}\\r\\n`);
const sound = /name="file"; filename="audio_[0-9a-f]{12}\.ogg"\r\n[^]*\r\n\r\nOggS\r\n/;

test('xAI is sent the sound and the language, and writes numbers as digits unless it is told not to', async (t) => {
  const routes = { 'POST /v1/stt': { body: { text: ' Two litres of milk. ', language: 'de', duration: 1.5 } } };
  const { file, requests } = await speak(t, {
    routes,
    config: (url) =>
      `stt: {provider: xai, xai: {base_url: ${url}, api_key: xai-0123456789abcdef, language: de, diarize: 'true'}}\n`,
  });
  assert.match(file.note, /\nTwo litres of milk\.$/);
  const [asked] = requests;
  const body = asked?.body ?? '';
  assert.equal(asked?.headers.authorization, 'Bearer xai-0123456789abcdef');
  for (const part of [field('language', 'de'), field('format', 'true'), field('diarize', 'true'), sound])
    assert.match(body, part);
  assert.doesNotMatch(body, /name="model"/);

  const plain = await speak(t, {
    routes,
    config: (url) => `stt: {provider: xai, xai: {base_url: ${url}, api_key: xai-0123456789abcdef, format: false}}\n`,
  });
  assert.match(plain.requests[0]?.body ?? '', field('language', 'en'));
  assert.doesNotMatch(plain.requests[0]?.body ?? '', /name="(?:format|diarize)"/);
});

test('ElevenLabs is sent its own header and fields', async (t) => {
  const { file, requests } = await speak(t, {
    routes: { 'POST /v1/speech-to-text': { body: { language_code: 'en', text: 'Hello there.', words: [] } } },
    config: (url) =>
      `stt: {elevenlabs: {base_url: ${url}, api_key: el-0123456789abcdef, language_code: eng, tag_audio_events: true}}\n`,
  });
  assert.match(file.note, /\nHello there\.$/);
  const [asked] = requests;
  const body = asked?.body ?? '';
  assert.equal(asked?.headers['xi-api-key'], 'el-0123456789abcdef');
  for (const part of [
    field('model_id', 'scribe_v2'),
    field('language_code', 'eng'),
    field('tag_audio_events', 'true'),
    field('diarize', 'false'),
    sound,
  ])
    assert.match(body, part);
});

test('DeepInfra is asked for a model that hears where none is named', async (t) => {
  const data = [
    { id: 'a/stub', metadata: null },
    { id: 'a/speaker', metadata: { tags: ['tts'] } },
    { id: 'a/hearer', metadata: { tags: ['stt'] } },
  ];
  const spoken = {
    routes: {
      'GET /v1/models': { body: { data } },
      'POST /v1/audio/transcriptions': { body: { text: 'Good morning.' } },
    },
  };
  const { file, requests } = await speak(t, {
    ...spoken,
    config: (url) => `stt: {deepinfra: {base_url: ${url}, api_key: di-0123456789abcdef}}\n`,
  });
  assert.match(file.note, /\nGood morning\.$/);
  assert.match(requests[1]?.body ?? '', field('model', 'a/hearer'));

  const named = await speak(t, {
    ...spoken,
    config: (url) => `stt: {deepinfra: {base_url: ${url}, api_key: di-0123456789abcdef, model: mine}}\n`,
  });
  assert.equal(named.requests.length, 1);
  assert.match(named.requests[0]?.body ?? '', field('model', 'mine'));

  const none = await speak(t, {
    ...spoken,
    routes: { 'GET /v1/models': { body: { data: data.slice(0, 2) } } },
    config: (url) => `stt: {deepinfra: {base_url: ${url}, api_key: di-0123456789abcdef}}\n`,
  });
  assert.match(none.told.join(), /deepinfra: it lists no model that hears; name one as stt\.deepinfra\.model/);
});

test('what a service says of a failure is told, in one line and without the key', async (t) => {
  const config = (url: string): string =>
    `stt: {provider: elevenlabs, elevenlabs: {base_url: ${url}, api_key: el-0123456789abcdef}}\n`;
  for (const [body, reason] of [
    [
      { detail: { status: 'x', message: 'quota\n of el-0123456789abcdef' } },
      /elevenlabs: status 401: quota of el-012\.\.\.cdef$/,
    ],
    [{ detail: 'no such voice' }, /status 401: no such voice$/],
    ['<html>\n\noops', /status 401: <html> oops$/],
  ] as const) {
    const { told } = await speak(t, { routes: { 'POST /v1/speech-to-text': { status: 401, body } }, config });
    assert.match(told.join(), reason);
    assert.doesNotMatch(told.join(), /0123456789abcdef|\n/);
  }
});
