/** Voice mode with programs that record and play as a test says, and services that hear and speak. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { colorsFor } from '../../../src/cli/render/colors.ts';
import { recordKey } from '../../../src/cli/voice/record-key.ts';
import { VoiceMode } from '../../../src/cli/voice/voice-mode.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { WorkerEvent } from '../../../src/worker/worker.ts';
import { bytesPerSecond } from '../../../src/speech/voice/sound.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { type Routes, startJsonServer } from '../../fakes/json-server.ts';
import { silence, tone } from '../../speech/voice/sounds.ts';
import { soundPrograms, until } from './programs.ts';

const plain = colorsFor({}, { color: false });
const hears = 'POST /v1/audio/transcriptions';
const speaks = 'POST /v1/audio/speech';
const sentence = { body: Buffer.from('a sentence'), headers: { 'content-type': 'audio/wav' } };
const speech = Buffer.concat([tone(0.5), silence(1)]);
const skip = process.platform === 'win32' ? 'the programs are scripts' : false;

interface Setup {
  readonly voice?: object;
  readonly stt?: object;
  readonly routes?: Routes;
}

async function open(t: TestContext, { voice = {}, stt = {}, routes = {} }: Setup = {}) {
  const server = await startJsonServer({ [hears]: { body: { text: 'Hello.' } }, [speaks]: sentence, ...routes });
  const { home, env, write } = temporaryHome(t);
  const own = { base_url: `${server.url}/v1`, api_key: 'sk-0123456789abcdef' };
  write(
    'config.yaml',
    JSON.stringify({
      stt: { provider: 'openai', openai: own, ...stt },
      tts: { provider: 'openai', openai: own },
      voice: { silence_duration: 0.2, ...voice },
    }),
  );
  const sounds = soundPrograms(join(dirname(home.path), 'sounds'));
  const variables = { ...env, PATH: sounds.path };
  const chat = { free: true, said: [] as string[], told: [] as string[], hints: [] as string[] };
  let press: (() => void) | undefined;
  const mode = new VoiceMode({
    options: { home, env: variables, config: await loadConfig({ home, env: variables }) },
    isFree: () => chat.free,
    said: (text) => void chat.said.push(text),
    bind: (_key, act) => {
      press = act;
    },
    tell: (line) => void chat.told.push(line),
    hint: (line) => void chat.hints.push(line),
    refresh: () => undefined,
  });
  t.after(async () => {
    await mode.close();
    await server[Symbol.asyncDispose]();
  });
  return {
    mode,
    sounds,
    server,
    chat,
    press: () => press?.(),
    get bound() {
      return press !== undefined;
    },
    line: () => mode.line(plain),
  };
}

/** A turn as the worker tells it. */
function answer(mode: VoiceMode, ...deltas: readonly string[]): void {
  const events: WorkerEvent[] = [
    { type: 'turn_started', turnId: 't', sessionId: 's' },
    ...deltas.map((text) => ({ type: 'text_delta', text }) as const),
    { type: 'text_end' },
  ];
  for (const event of events) mode.hear(event);
}

test('what is said becomes a message, without what would name a command, and the next recording follows the answer', {
  skip,
}, async (t) => {
  const { mode, sounds, chat, press, line, server } = await open(t, {
    routes: { [hears]: { body: { text: ' /learn everything ' } } },
  });
  assert.match(mode.command(undefined), /^Voice mode is on\.\n.*Ctrl\+B begins to record/);
  sounds.record(speech, speech);
  press();
  assert.match(line(), /● [▁-█]{6} recording/);
  await until(() => chat.said.length === 1);
  assert.deepEqual(chat.said, ['learn everything']);
  assert.match(server.requests[0]?.body ?? '', /name="file"; filename="recording\.wav"\r\n[^]*RIFF[^]*WAVEfmt /);
  assert.match(
    mode.bring({ content: 'learn everything' }).sent ?? '',
    /^\[This was spoken\. .*\]\n\nlearn everything$/,
  );
  assert.deepEqual(mode.bring({ content: 'learn everything' }), { content: 'learn everything' });
  await until(() => line().includes('Ctrl+B records'));
  mode.hear({ type: 'idle' });
  await until(() => chat.said.length === 2);
  mode.typed();
  mode.hear({ type: 'idle' });
  await until(() => sounds.running().length === 0);
  assert.match(line(), /Ctrl\+B records/);
  assert.deepEqual(chat.told, []);
});

test('three recordings in which nothing is said end it; a phantom of the recogniser is nothing said', {
  skip,
}, async (t) => {
  const { mode, sounds, chat, press, server } = await open(t, {
    routes: { [hears]: { body: { text: 'Thank you. Thank you.' } } },
  });
  mode.command('on');
  sounds.record(silence(16), speech, silence(16), speech);
  press();
  await until(() => chat.told.length > 0);
  assert.deepEqual(chat.told, ['Nothing was heard 3 times; the microphone is off.']);
  assert.deepEqual([chat.said, server.requests.length], [[], 1]);
  await until(() => sounds.running().length === 0);
});

test('the key ends a recording and sends it, Ctrl+C throws it away, and no program is left', { skip }, async (t) => {
  const { mode, sounds, chat, press, line } = await open(t, { voice: { silence_duration: 60 } });
  mode.command('on');
  sounds.record(tone(1), tone(1));
  press();
  await until(() => sounds.running().length === 1 && /[▃-█]/.test(line()));
  press();
  await until(() => chat.said.length === 1);
  mode.hear({ type: 'idle' });
  assert.equal(mode.stop(), false);
  await until(() => line().includes('Ctrl+B records'));
  press();
  await until(() => sounds.running().length === 1 && /[▃-█]/.test(line()));
  assert.equal(mode.stop(), true);
  await until(() => sounds.running().length === 0 && line().includes('Ctrl+B records'));
  assert.deepEqual([chat.said, chat.told], [['Hello.'], []]);
});

test('one tone tells that a recording begins and two that it ends, and none where they are off', {
  skip,
}, async (t) => {
  for (const on of [true, false]) {
    const { mode, sounds, chat, press } = await open(t, { voice: { beep_enabled: on } });
    mode.command('on');
    sounds.record(speech);
    press();
    await until(() => chat.said.length === 1);
    await mode.close();
    const [start, end, ...more] = sounds.played();
    assert.deepEqual(more, []);
    if (!on) return assert.equal(start, undefined);
    assert.ok(start !== undefined && end !== undefined);
    assert.equal(start.toString('latin1', 0, 4), 'RIFF');
    assert.deepEqual([secondsOf(start), secondsOf(end)], [0.12, 0.3]);
    assert.deepEqual([hertzOf(start, 0.12), hertzOf(end, 0.24)], [880, 660]);
  }
});

const secondsOf = (wav: Buffer): number => (wav.length - 44) / bytesPerSecond;

/** How often it goes up through nothing in a second, to the next twenty; `seconds` is how long it sounds. */
function hertzOf(wav: Buffer, seconds: number): number {
  const samples = Array.from({ length: (wav.length - 44) / 2 }, (_, at) => wav.readInt16LE(44 + at * 2));
  const rises = samples.filter((sample, at) => sample > 0 && (samples[at - 1] ?? 0) <= 0).length;
  return Math.round(rises / seconds / 20) * 20;
}

test('an answer is spoken sentence by sentence, and stops at a key and with the next turn', { skip }, async (t) => {
  const { mode, sounds, chat, press, line, server } = await open(t, { voice: { auto_tts: true, beep_enabled: false } });
  assert.match(mode.command('on'), /^Voice mode is on, and answers are spoken\./);
  answer(mode, 'The first **sentence** of it. <think>No', 't this one.</think>Then the second sentence. Bye.');
  await until(() => sounds.played().length === 3);
  const inputs = server.requests.map(({ body }) => /"input":"([^"]*)"/.exec(body)?.[1]);
  assert.deepEqual(inputs, ['The first sentence of it.', 'Then the second sentence.', 'Bye.']);
  await until(() => line().includes('Ctrl+B records'));
  sounds.playForever();
  answer(mode, 'This sentence is heard for ever. And this one never begins to sound.');
  await until(() => sounds.played().length === 4);
  assert.match(line(), /♪ speaking/);
  mode.typed();
  mode.hear({ type: 'text_delta', text: 'What the answer goes on with is not spoken any more.' });
  mode.hear({ type: 'text_end' });
  await until(() => sounds.running().length === 0 && line().includes('Ctrl+B records'));
  assert.equal(sounds.played().length, 4);
  answer(mode, 'The next answer is spoken again.');
  await until(() => sounds.running().length === 1);
  assert.equal(mode.stop(), true);
  assert.match(mode.command('tts'), /Answers are not spoken any more/);
  answer(mode, 'Nobody wants to hear this sentence.');
  await until(() => sounds.running().length === 0 && line().includes('Ctrl+B records'));
  sounds.record(tone(1));
  chat.free = false;
  press();
  assert.match(chat.hints.join(), /the agent is at work; Ctrl\+B records when it is done/);
});

test('a service that fails is told once an answer, in one line without its key', { skip }, async (t) => {
  const { mode, sounds, chat, press } = await open(t, {
    voice: { auto_tts: true },
    routes: {
      [hears]: { status: 401, body: { error: { message: 'bad key sk-0123456789abcdef' } } },
      [speaks]: { status: 500, body: { error: { message: 'no\nvoice' } } },
    },
  });
  mode.command('on');
  sounds.record(speech);
  press();
  await until(() => chat.told.length === 1);
  answer(mode, 'The first sentence of it. Then the second sentence. And a third sentence.');
  await until(() => chat.told.length === 2);
  await mode.close();
  assert.match(chat.told[0] ?? '', /^openai: status 401: bad key (?!sk-0123456789abcdef)[^\n]*$/);
  assert.match(chat.told[1] ?? '', /^This answer is not spoken: OpenAI: status 500: no voice$/);
  assert.deepEqual(chat.said, []);
});

test('the file of a recording is its owner’s alone, and gone when it was read', { skip }, async (t) => {
  const command = 'PATH=/usr/bin:/bin; stat -c "%a %n" {input_path} && stat -c %a "$(dirname {input_path})"';
  const { mode, sounds, chat, press } = await open(t, { stt: { provider: 'ears', providers: { ears: { command } } } });
  rmSync(join(sounds.path, 'aplay'));
  mode.command('on');
  sounds.record(speech);
  press();
  await until(() => chat.said.length + chat.told.length === 1);
  const [, rights, path = '', folder] = /^(\d+) (\S+)\s+(\d+)$/.exec(chat.said[0] ?? '') ?? [];
  assert.deepEqual([rights, folder, chat.told], ['600', '700', []]);
  await mode.close();
  assert.equal(existsSync(dirname(path)), false);
});

test('what is missing is said in one line: a program that records, one that plays, and somebody who hears', {
  skip,
}, async (t) => {
  const { mode, sounds, chat, press } = await open(t);
  mode.command('on');
  press();
  await until(() => chat.told.length === 1);
  assert.equal(
    chat.told[0],
    'nothing could be recorded; is there a microphone? arecord: audio open error: no such device',
  );
  mode.command('off');
  for (const name of ['arecord', 'aplay']) rmSync(join(sounds.path, name));
  assert.match(mode.command('on'), /^Voice mode cannot be turned on: no program that records is installed; install \S/);
  assert.match(mode.command('status'), /^Voice mode: +off\n[^]*Key: +Ctrl\+B\nRecords with: +nothing; install /);
  assert.match(mode.command('tts'), /^Voice mode is off; \/voice on turns it on\.$/);
  mkdirSync(sounds.path, { recursive: true });

  const deaf = await open(t, { stt: { provider: 'groq' } });
  assert.match(deaf.mode.command('on'), /^Voice mode cannot be turned on: GROQ_API_KEY is not set\.$/);
  const off = await open(t, { stt: { enabled: false } });
  assert.match(off.mode.command('on'), /cannot be turned on: stt\.enabled is false\.$/);
  const dumb = await open(t);
  rmSync(join(dumb.sounds.path, 'aplay'));
  dumb.mode.command('on');
  assert.match(
    dumb.mode.command('tts'),
    /^Nothing can be spoken yet: no program that plays sound is installed; install \S/,
  );
});

test('a program that records nothing gives way to the next one', { skip }, async (t) => {
  const { mode, sounds, chat, press } = await open(t);
  sounds.alsoAs('parec');
  sounds.breaks('arecord');
  mode.command('on');
  sounds.record(speech);
  press();
  await until(() => chat.said.length === 1);
  assert.deepEqual(chat.told, []);
});

test('the key is one that a terminal can tell from others; else it is the usual one', () => {
  assert.deepEqual(recordKey('ctrl+b'), { key: 'ctrl+b', label: 'Ctrl+B' });
  assert.deepEqual(recordKey(' Control + R'), { key: 'ctrl+r', label: 'Ctrl+R' });
  assert.deepEqual(recordKey('option+space'), { key: 'alt+space', label: 'Alt+Space' });
  assert.deepEqual(recordKey('c-t'), { key: 'ctrl+t', label: 'Ctrl+T' });
  for (const [written, why] of [
    ['ctrl+c', 'is taken'],
    ['super+b', 'is none of ctrl+letter, alt+letter, ctrl+space, alt+space'],
    ['f', 'is none of ctrl+letter, alt+letter, ctrl+space, alt+space'],
    ['', 'is none of ctrl+letter, alt+letter, ctrl+space, alt+space'],
  ] as const) {
    const { key, problem } = recordKey(written);
    assert.deepEqual([key, problem], ['ctrl+b', `voice.record_key '${written}' ${why}; it is Ctrl+B.`]);
  }
});
