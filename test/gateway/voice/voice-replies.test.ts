/** Answers in chats that are spoken: to whom, behind which text, and what is told when that fails. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { RunCommands } from '../../../src/gateway/commands/run-commands.ts';
import type { MessageEvent } from '../../../src/gateway/platform/message-event.ts';
import { type JsonAnswer, startJsonServer } from '../../fakes/json-server.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { placeFor } from '../../runtime/support.ts';
import { ChatService } from '../chat-service.ts';
import { openGateway } from '../support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
const route = 'POST /v1/audio/speech';
const spoken: Partial<MessageEvent> = {
  message_type: 'voice',
  attachments: [{ kind: 'voice', reference: 'r', mime_type: 'audio/ogg' }],
};

interface Options {
  readonly answer?: JsonAnswer;
  readonly text?: string;
  readonly config?: string;
  readonly fake?: ChatService;
}

async function start(
  t: TestContext,
  {
    answer = { body: 'sound' },
    text = '**Yes**, [it](https://example.org) is.',
    config = '',
    fake = new ChatService({ files: true }),
  }: Options = {},
) {
  const [server, service] = await Promise.all([
    startModelServer({ respond: () => ({ text }) }),
    startJsonServer({ [route]: answer }),
  ]);
  t.after(() => Promise.all([server.close(), service[Symbol.asyncDispose]()]));
  const tts = { provider: 'openai', openai: { base_url: `${service.url}/v1`, api_key: 'sk-own-1234567' } };
  const place = placeFor(t, server, `tts: ${JSON.stringify(tts)}\n${quiet}${config}`);
  const commands = new RunCommands({
    version: '0.0.0',
    startedAt: 0,
    saveVariables: () => Promise.resolve(),
    restart: () => false,
  });
  const { gateway } = await openGateway(t, server, { place, commands, fake });
  const path = join(place.homePath, 'gateway_voice_mode.json');
  const command = async (line: string): Promise<string> => {
    const before = fake.texts().length;
    await fake.say(line);
    await fake.until(() => fake.texts().length > before);
    return fake.texts().at(-1) ?? '';
  };
  /** What stands in the chat when all that follows a message is done. */
  const say = async (more: Partial<MessageEvent> = {}): Promise<readonly string[]> => {
    const before = fake.texts().length;
    await fake.say('Is it?', more);
    await fake.until(() => fake.texts().length > before);
    await gateway.chats.settled(AbortSignal.timeout(120_000));
    await gateway.voice.settled(AbortSignal.timeout(120_000));
    await gateway.delivery.settled(AbortSignal.timeout(120_000));
    return fake.texts().slice(before);
  };
  const modes = (): unknown => JSON.parse(readFileSync(path, 'utf8'));
  return { fake, service, place, gateway, command, say, modes, path };
}

const words = '**Yes**, [it](https://example.org) is.';

test('/voice on speaks answers to voice messages, tts every one, and off none; the file is that of the original', async (t) => {
  const { fake, service, command, say, modes } = await start(t);
  assert.deepEqual(await say(spoken), [words]);
  assert.match(await command('/voice on'), /^Voice replies: on\./);
  assert.deepEqual(modes(), { 'fake:c1': 'voice_only' });
  assert.deepEqual(await say(), [words]);
  assert.deepEqual(await say(spoken), [words, '[voice answer.mp3]']);
  assert.equal(JSON.parse(service.requests[0]?.body ?? '').input, 'Yes, it is.');
  assert.deepEqual(readFileSync(fake.files[0]?.path ?? '', 'utf8'), 'sound');
  assert.match(await command('/voice tts'), /every answer is spoken/);
  assert.deepEqual(await say(), [words, '[voice answer.mp3]']);
  assert.deepEqual(modes(), { 'fake:c1': 'all' });
  assert.match(await command('/voice status'), /every answer is spoken/);
  assert.match(await command('/voice'), /^Voice replies: off\.[^]*Use \/voice on/);
  assert.match(await command('/voice'), /^Voice replies: on\./);
  assert.match(await command('/voice disable'), /^Voice replies: off\./);
  assert.match(await command('/voice loudly'), /does not know 'loudly'/);
  assert.deepEqual(await say(spoken), [words]);
  assert.equal(service.requests.length, 2);
});

test('a file of the original is kept as it is but for the chat that changes, and a broken one is none', async (t) => {
  const { command, modes, path, say } = await start(t);
  writeFileSync(
    path,
    JSON.stringify({ 'fake:c1': 'all', 'telegram:-100:2': 'voice_only', '123': 'all', 'fake:x': 'loud' }),
  );
  assert.deepEqual(await say(), [words, '[voice answer.mp3]']);
  await command('/voice off');
  assert.deepEqual(modes(), { 'fake:c1': 'off', 'telegram:-100:2': 'voice_only' });
  writeFileSync(path, '{"fake:c1": "al');
  assert.match(await command('/voice status'), /off/);
  await command('/voice on');
  assert.equal(readFileSync(path, 'utf8'), '{\n  "fake:c1": "voice_only"\n}');
});

test('voice.auto_tts answers voice messages in kind until a chat says otherwise', async (t) => {
  const { say, command } = await start(t, { config: 'voice:\n  auto_tts: true\n' });
  assert.deepEqual(await say(spoken), [words, '[voice answer.mp3]']);
  assert.deepEqual(await say(), [words]);
  await command('/voice off');
  assert.deepEqual(await say(spoken), [words]);
});

test('an answer that cannot be spoken is there as text, and the chat is told why once', async (t) => {
  const broken = { status: 500, body: { error: { message: 'broken sk-own-1234567' } } };
  const { say, command, service } = await start(t, { answer: broken });
  await command('/voice tts');
  const [text, told = ''] = await say();
  assert.equal(text, words);
  assert.match(told, /^🔇 I could not speak this answer: OpenAI: status 500: broken/);
  assert.doesNotMatch(told, /sk-own-1234567/);
  assert.deepEqual(await say(), [words]);
  service.answer({ [route]: { body: 'sound' } });
  assert.deepEqual(await say(), [words, '[voice answer.mp3]']);
});

test('a voice reply that the platform refuses for good is told in words, and given up in silence where these do not arrive either', async (t) => {
  const { say, command, fake } = await start(t);
  await command('/voice tts');
  const forbidden = { ok: false, kind: 'forbidden', error: 'no voice here' } as const;
  const text = { ok: true, messageId: 'm' } as const;
  fake.failures.push(text, forbidden);
  assert.deepEqual(await say(), [words, 'The file answer.mp3 could not be sent here.']);
  fake.failures.push(text, forbidden, forbidden);
  assert.deepEqual(await say(), [words]);
  assert.deepEqual(fake.texts('home'), []);
  assert.deepEqual(await say(), [words, '[voice answer.mp3]']);
});

test('where files cannot be sent nothing is spoken, and /voice says so', async (t) => {
  const { say, command, service } = await start(t, { fake: new ChatService() });
  assert.match(await command('/voice tts'), /⚠️ No files can be sent here/);
  assert.deepEqual(await say(), [words]);
  assert.deepEqual(service.requests, []);
});

test('an answer of nothing but code is not spoken', async (t) => {
  const { say, command, service } = await start(t, { text: '```\nls\n```' });
  await command('/voice tts');
  assert.deepEqual(await say(), ['```\nls\n```']);
  assert.deepEqual(service.requests, []);
});
