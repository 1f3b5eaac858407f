/** How a text is to be spoken: a file of the owner's about the speaker, and signs that a model writes into it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { speak } from '../../src/speech/speak.ts';
import type { SpeechAccess } from '../../src/speech/speech-access.ts';
import { startJsonServer } from '../fakes/json-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { accessWith, patience } from './support.ts';

const sound = {
  candidates: [{ content: { parts: [{ inlineData: { data: Buffer.alloc(100).toString('base64') } }] } }],
};
const models = ['gemini-2.5-flash-preview-tts', 'gemini-3.1-flash-tts-preview'] as const;

interface Spoken {
  readonly settings?: object;
  readonly persona?: string;
  /** What the model makes of the text. */
  readonly marked?: string | Error;
}

/** What the service is sent, or why it is not, and what the model was asked. */
async function sent(t: TestContext, provider: 'gemini' | 'xai', text: string, { settings, persona, marked }: Spoken) {
  const server = await startJsonServer({
    'POST /tts': { body: Buffer.from('sound') },
    ...Object.fromEntries(models.map((model) => [`POST /models/${model}:generateContent`, { body: sound }])),
  });
  t.after(() => server[Symbol.asyncDispose]());
  const access = await accessWith(t, {
    provider,
    [provider]: { base_url: server.url, api_key: 'own-key-0123456789', ...settings },
  });
  if (persona !== undefined) writeFileSync(join(access.homePath, 'persona.md'), persona);
  const asked: string[] = [];
  const own: SpeechAccess = {
    ...access,
    ask({ messages }) {
      asked.push(messages.map(({ content }) => JSON.stringify(content)).join('\n'));
      return typeof marked === 'string' ? Promise.resolve(marked) : Promise.reject(marked ?? new Error('no model'));
    },
  };
  const problem = await speak(text, provider === 'gemini' ? 'wav' : 'mp3', own, patience()).then(
    () => undefined,
    ({ message }: Error) => message,
  );
  const body = server.requests[0]?.body;
  const told = body === undefined ? undefined : (/"text":("(?:[^"\\]|\\.)*")/.exec(body)?.[1] ?? '""');
  return { text: told === undefined ? problem : (JSON.parse(told) as string), asked };
}

test('a file says who speaks with Gemini: the text stands where it has a place for it, else behind it', async (t) => {
  const settings = { persona_prompt_file: 'persona.md' };
  const behind = await sent(t, 'gemini', 'Five $& dollars.', { settings, persona: '# AUDIO PROFILE\nA calm woman.\n' });
  assert.match(
    behind.text ?? '',
    /^Speak the transcript[^]*\n\n# AUDIO PROFILE\nA calm woman\.\n\n#### TRANSCRIPT\nFive \$& dollars\.$/,
  );
  for (const place of ['{transcript}', '{{ Transcript }}']) {
    const { text } = await sent(t, 'gemini', 'Five $& dollars.', { settings, persona: `Softly:\n${place}\nEnd.` });
    assert.match(text ?? '', /\n\nSoftly:\nFive \$& dollars\.\nEnd\.$/);
  }
  assert.equal((await sent(t, 'gemini', 'Hello.', { settings, persona: ' \n' })).text, 'Hello.');
  const missing = await sent(t, 'gemini', 'Hello.', { settings });
  assert.equal(missing.text, "Gemini: tts.gemini.persona_prompt_file 'persona.md': it cannot be read (ENOENT)");
});

test('a model puts signs into the text for Gemini 3.1, and no other word of it is taken', async (t) => {
  const settings = { model: models[1], audio_tags: true, persona_prompt_file: 'persona.md' };
  const speakAs = (marked: string | Error) =>
    sent(t, 'gemini', 'Well done, you!', { settings, persona: 'Say {transcript}', marked });
  const good = await speakAs('```\n[excitedly] Well done, [laughs] you!\n```');
  assert.match(good.text ?? '', /\n\nSay \[excitedly\] Well done, \[laughs\] you!$/);
  assert.match(
    good.asked.join(),
    /square brackets[^]*The speaker:\\nSay \{transcript\}[^]*The text:\\nWell done, you!/,
  );
  for (const other of ['[sadly] Well done, you fool!', '', new Error('nobody answers')])
    assert.match((await speakAs(other)).text ?? '', /\n\nSay Well done, you!$/);
  const old = await sent(t, 'gemini', 'Well done!', { settings: { audio_tags: true }, marked: '[x] Well done!' });
  assert.deepEqual([old.text, old.asked], ['Well done!', []]);
});

test('xAI gets pauses between parts and the signs that it knows, where the text has none of its own', async (t) => {
  const settings = { auto_speech_tags: true };
  const text = 'This is the first sentence. And the second one.\n\nA new\npart.';
  const alone = await sent(t, 'xai', text, { settings });
  assert.equal(alone.text, 'This is the first sentence. And the second one. [pause] A new part.');
  const marked = 'This is <soft>the first</soft> sentence. [sigh] And the second one. [pause] A new part.';
  assert.equal((await sent(t, 'xai', text, { settings, marked })).text, marked);
  const unknown = 'This is [happy] the first sentence. And the second one. A new part.';
  assert.equal((await sent(t, 'xai', text, { settings, marked: unknown })).text, alone.text);
  const own = await sent(t, 'xai', 'I <whisper>know</whisper> it all. Do you know it?', { settings, marked });
  assert.deepEqual([own.text, own.asked], ['I <whisper>know</whisper> it all. Do you know it?', []]);
  assert.equal(
    (await sent(t, 'xai', 'One sentence is here. And another.', { settings })).text,
    'One sentence is here. [pause] And another.',
  );
  assert.equal((await sent(t, 'xai', text, {})).text, text);
});

test('it is auxiliary.tts_audio_tags that is asked', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'marked' });
  const model = { provider: 'custom', base_url: server.url, default: 'test-model', api_key: 'test-key' };
  const access = await accessWith(t, {}, {}, { model, auxiliary: { tts_audio_tags: { model: 'small-model' } } });
  const messages = [{ role: 'user', content: 'Mark this.' }] as const;
  assert.equal(await access.ask({ messages }, patience()), 'marked');
  assert.equal(server.lastRequest.body.model, 'small-model');
});
