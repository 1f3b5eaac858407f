/** Voice messages become text where a service for it is set up; the file stays in reach in any case. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Routes } from '../fakes/json-server.ts';
import { speak } from './speak.ts';

const route = 'POST /v1/audio/transcriptions';

const openai = (url: string): string =>
  `stt: {provider: openai, openai: {base_url: ${url}, api_key: sk-0123456789abcdef, language: de}}\n`;
const heard: Routes = { [route]: { body: { text: ' Buy milk, please. ' } } };

test('what was said stands in the message as the person’s own words, and is told in the chat', async (t) => {
  const keys = { OPENAI_API_KEY: 'sk-not-this-one-000', VOICE_TOOLS_OPENAI_KEY: 'sk-voice-key-0001' };
  const { file, told, requests } = await speak(t, {
    routes: heard,
    config: () => 'stt: {provider: openai, openai: {language: de}}\n',
    env: (url) => ({ ...keys, STT_OPENAI_BASE_URL: url }),
  });
  assert.match(file.note, /^\[The user sent a voice message: [^\n]+\]\nBuy milk, please\.$/);
  assert.equal(file.source, undefined);
  assert.deepEqual(told, ['🎙️ "Buy milk, please."']);
  const [asked] = requests;
  assert.equal(asked?.headers.authorization, 'Bearer sk-voice-key-0001');
  assert.match(asked?.body ?? '', /name="model"\r\n\r\nwhisper-1\r\n/);
  assert.match(asked?.body ?? '', /name="language"\r\n\r\nde\r\n/);
  assert.match(asked?.body ?? '', /name="file"; filename="audio_[0-9a-f]{12}\.ogg"\r\n[^]*\r\n\r\nOggS\r\n/);
});

test('without a name the first service with a key is taken, and echo_transcripts keeps it quiet', async (t) => {
  const { file, told, requests } = await speak(t, {
    routes: heard,
    config: () => 'stt: {echo_transcripts: false}\n',
    env: (url) => ({
      GROQ_API_KEY: 'gsk-0123456789abcdef',
      GROQ_BASE_URL: url,
      MISTRAL_API_KEY: 'another',
      STT_GROQ_MODEL: 'whisper-large-v3',
    }),
  });
  assert.match(file.note, /Buy milk, please\.$/);
  assert.deepEqual(told, []);
  assert.match(requests[0]?.body ?? '', /whisper-large-v3\r\n/);
});

test('a service that is named and has no key leaves it at that: no other one is asked, and the person is told why', async (t) => {
  const { file, told, requests } = await speak(t, {
    routes: heard,
    config: (url) => `stt:\n  provider: groq\n  openai:\n    base_url: ${url}\n`,
    env: { OPENAI_API_KEY: 'sk-0123456789abcdef' },
  });
  assert.match(told.join(), /could not turn your voice message into text: GROQ_API_KEY is not set/);
  assert.match(file.note, /could not be turned into text/);
  assert.deepEqual(requests, []);
});

test('a service that refuses, answers no text or is given too much is told in one line without the key', async (t) => {
  const refused = { [route]: { status: 401, body: { error: { message: 'bad key sk-0123456789abcdef' } } } };
  for (const [name, more, reason] of [
    ['refused', { routes: refused }, /openai: status 401/],
    ['no text', { routes: { [route]: { body: { words: 1 } } } }, /openai: no text in its answer/],
    ['another kind', { voice: { name: 'a.amr' } }, /openai takes no \.amr files/],
    ['too large', { bytes: Buffer.alloc(25 * 1024 * 1024 + 1) }, /larger than 25 MB/],
  ] as const) {
    const { file, told } = await speak(t, { config: openai, ...more });
    assert.match(told.join(), reason, name);
    assert.doesNotMatch(told.join() + file.note, /sk-0123456789abcdef|\n/, name);
    assert.match(file.note, /^\[The user sent a voice message that could not be turned into text/, name);
  }
});

test('a lossless file is heard like any other', async (t) => {
  const env = { OPENAI_API_KEY: 'sk-0123456789abcdef' };
  const voice = { name: 'a.flac', mime_type: 'audio/flac' };
  const { file, requests } = await speak(t, { routes: heard, config: openai, env, voice });
  assert.match(file.note, /Buy milk, please\.$/);
  assert.match(requests[0]?.body ?? '', /filename="audio_[0-9a-f]{12}\.flac"/);
});

test('stt.enabled: false hands the file on and says nothing', async (t) => {
  const { file, told } = await speak(t, {
    config: () => 'stt:\n  enabled: false\n',
    env: { OPENAI_API_KEY: 'sk-0123456789abcdef' },
  });
  assert.match(file.note, /^\[The user sent a voice message: \/\S+\.ogg\]$/);
  assert.deepEqual(told, []);
});

test('a key of the environment goes to its service alone, and a server of one’s own may want none', async (t) => {
  const elsewhere = await speak(t, {
    routes: heard,
    config: (url) => `stt: {provider: groq, groq: {base_url: ${url}}}\n`,
    env: { GROQ_API_KEY: 'gsk-0123456789abcdef' },
  });
  assert.match(elsewhere.told.join(), /stt\.groq\.api_key is not set; GROQ_API_KEY is not sent to 127\.0\.0\.1:\d+\./);
  assert.deepEqual(elsewhere.requests, []);

  const own = await speak(t, {
    routes: heard,
    config: (url) => `stt: {provider: openai, openai: {base_url: ${url}}}\n`,
    env: { OPENAI_API_KEY: 'sk-0123456789abcdef' },
  });
  assert.match(own.file.note, /Buy milk, please\.$/);
  assert.equal(own.requests[0]?.headers.authorization, undefined);
});
