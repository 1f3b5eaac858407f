/** `hermes send`: to the platform alone, and through a gateway that runs. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { FakeTelegram } from '../fakes/telegram-platform.ts';
import { gatewayPlace, until } from '../gateway/process/support.ts';
import { hermes, makePlace, ok, type Place, type Run, type StartOptions } from './hermes-process.ts';

const dm = { chatId: '1001', threadId: null };
const topic = { chatId: '-1001', threadId: '7' };

interface SendPlace {
  readonly place: Place;
  readonly fake: FakeTelegram;
  readonly send: (args: readonly string[], options?: StartOptions) => Promise<Run>;
  readonly texts: (where?: { readonly chatId: string; readonly threadId: string | null }) => readonly string[];
}

async function sendPlace(t: TestContext, dotenv = ''): Promise<SendPlace> {
  const fake = await FakeTelegram.open();
  t.after(() => fake[Symbol.asyncDispose]());
  const place = makePlace(t);
  place.write('config.yaml', `platforms:\n  telegram:\n    base_url: ${fake.server.url}\n`);
  place.write('.env', `TELEGRAM_BOT_TOKEN=${fake.server.token}\n${dotenv}`);
  return {
    place,
    fake,
    send: async (args, options) => await hermes(place, ['send', ...args], options),
    texts: (where = dm) => fake.shown(where).map(({ text }) => text),
  };
}

test('without a gateway a text goes to a chat, a topic, a name and the home chat, and nothing is received', async (t) => {
  const { place, fake, send, texts } = await sendPlace(
    t,
    'TELEGRAM_HOME_CHANNEL=-1002\nTELEGRAM_HOME_CHANNEL_NAME=Others\n',
  );
  place.write(
    'channel_directory.json',
    JSON.stringify({ updated_at: null, platforms: { telegram: [{ id: '1001', name: 'Fred', type: 'dm' }] } }),
  );
  assert.equal(ok(await send(['--to', 'telegram:1001', 'hi **you**'])).stdout, 'sent\n');
  assert.deepEqual(texts(), ['hi you']);
  assert.equal(ok(await send(['-t', 'telegram:-1001:7', '-q', 'in a topic'])).stdout, '');
  assert.deepEqual(texts(topic), ['in a topic']);
  assert.equal(ok(await send(['--to', 'telegram', 'home'])).stdout, 'sent (the home chat of Telegram, Others)\n');
  const named = ok(await send(['--to', 'telegram:#fred', '--json', '--subject', 'Report', 'all is well']));
  assert.deepEqual(JSON.parse(named.stdout), {
    success: true,
    platform: 'telegram',
    chat_id: '1001',
    message_id: fake.shown(dm).at(-1)?.id,
    note: 'Fred',
  });
  assert.equal(texts().at(-1), 'Report\n\nall is well');
  assert.ok(
    fake.server.requests.every(({ method }) => method.startsWith('send')),
    'nobody polls or asks',
  );
});

test('the text may come from a file or be piped in, whole however long it is', async (t) => {
  const { place, send, texts } = await sendPlace(t);
  const file = join(place.work, 'note.md');
  writeFileSync(file, 'from a file\n');
  ok(await send(['--to', 'telegram:1001', '--file', file]));
  ok(await send(['--to', 'telegram:1001'], { stdin: 'piped\n' }));
  ok(await send(['--to', 'telegram:1001', '--file', '-'], { stdin: `${'word '.repeat(2000)}end` }));
  const [first, second, ...long] = texts();
  assert.deepEqual([first, second], ['from a file', 'piped']);
  assert.equal(long.length, 3);
  assert.match(long.at(-1) ?? '', /end \(3\/3\)$/);
});

test('what is no message or no target says so with the code of its kind, and nothing is sent', async (t) => {
  const { place, fake, send } = await sendPlace(t);
  const picture = join(place.work, 'picture.png');
  writeFileSync(picture, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]));
  const cases: readonly (readonly [args: readonly string[], code: number, said: RegExp])[] = [
    [['hi'], 2, /Say where to: --to/],
    [['--to', 'telegram:1001'], 2, /There is no text to send/],
    [['--to', 'telegram:1001', '--file', picture], 2, /picture\.png is not UTF-8 text/],
    [['--to', 'telegram:1001', '--file', '/no/such/file'], 2, /cannot be read \(ENOENT\)/],
    [['--to', 'telegram:1001', '--fast', 'hi'], 2, /unknown option/],
    [['--to', 'carrier-pigeon:1', 'hi'], 1, /no chat platform 'carrier-pigeon'/],
    [['--to', 'matrix:!a:b.test', 'hi'], 1, /Matrix is not set up/],
    [['--to', 'telegram', 'hi'], 1, /Telegram has no home chat[^]*TELEGRAM_HOME_CHANNEL/],
    [['--to', 'telegram:Nobody', 'hi'], 1, /No chat of Telegram is called 'Nobody'[^]*--list telegram/],
  ];
  for (const [args, code, said] of cases) {
    const run = await send(args);
    assert.deepEqual([run.code, run.stdout], [code, ''], args.join(' '));
    assert.match(run.stderr, said);
  }
  const json = await send(['--to', 'telegram', '--json', 'hi']);
  assert.deepEqual([json.code, JSON.parse(json.stdout)], [1, { error: 'Telegram has no home chat.' }]);
  assert.deepEqual(fake.server.requests, []);
});

test('a chat that blocked the bot fails with its reason and is written down, and a success takes that back', async (t) => {
  const { place, fake, send } = await sendPlace(t);
  fake.trouble({ as: 'forbidden' });
  const blocked = await send(['--to', 'telegram:1001', 'hi']);
  assert.equal(blocked.code, 1);
  assert.match(blocked.stderr, /blocked by the user/);
  assert.deepEqual(Object.keys(JSON.parse(place.read('gateway/dead_targets.json'))), ['telegram:1001']);
  ok(await send(['--to', 'telegram:1001', 'hi']));
  assert.equal(place.read('gateway/dead_targets.json').trim(), '{}');
});

test('files go along when they may leave this machine; keys never do, and then nothing is sent', async (t) => {
  const { place, fake, send } = await sendPlace(t);
  const report = join(place.work, 'report.pdf');
  writeFileSync(report, 'report');
  ok(await send(['--to', 'telegram:1001', `Here it is.\nMEDIA:${report}`]));
  assert.deepEqual(
    fake.shown(dm).map(({ text, file }) => [text, file?.name]),
    [
      ['Here it is.', undefined],
      ['', 'report.pdf'],
    ],
  );
  const before = fake.server.requests.length;
  const refused = await send(['--to', 'telegram:1001', `MEDIA:${join(place.home, 'config.yaml')}`]);
  const system = await send(['--to', 'telegram:1001', 'MEDIA:/proc/self/key.txt']);
  assert.deepEqual([refused.code, system.code], [1, 1]);
  assert.match(refused.stderr, /config\.yaml may not be sent from here; nothing was sent/);
  assert.equal(fake.server.requests.length, before);
});

test('the chats that are known are listed as targets, and as JSON', async (t) => {
  const { place, send } = await sendPlace(t);
  assert.match(ok(await send(['--list'])).stdout, /No chats are known yet/);
  const platforms = {
    telegram: [{ id: '-1001:7', name: 'Friends / \u001b[31mPlans', type: 'group', thread_id: '7' }],
    matrix: [{ id: '!a:b.test', name: 'Lobby', type: 'group' }],
  };
  place.write('channel_directory.json', JSON.stringify({ updated_at: 'now', platforms }));
  const listed = ok(await send(['--list', 'telegram'])).stdout;
  assert.match(listed, /^telegram:-1001:7 {2}Friends \/ .*Plans \(group\)\n$/);
  assert.ok(!listed.includes('\u001b'));
  assert.deepEqual(JSON.parse(ok(await send(['--list', '--json'])).stdout), { updated_at: 'now', platforms });
});

test('a running gateway sends it, and the conversation of the chat knows it from then on', async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'Hello Fred.' }) });
  const place = await gatewayPlace(t, model);
  const gateway = place.run();
  await place.inState(gateway, 'running');
  await place.telegram.write({ in: dm, text: 'hi' });
  await until(() => place.texts().includes('Hello Fred.'), gateway);
  const run = ok(await hermes(place, ['send', '--to', 'telegram:1001', '--json', 'The backup is done.']));
  assert.partialDeepStrictEqual(JSON.parse(run.stdout), { success: true, chat_id: '1001', mirrored: true });
  assert.ok(place.texts().includes('The backup is done.'));
  await place.telegram.write({ in: dm, text: 'what was that?' });
  await until(() => place.texts().filter((text) => text === 'Hello Fred.').length === 2, gateway);
  assert.match(
    JSON.stringify(model.requests.at(-1)?.body.messages),
    /Hello Fred\.[^]*The backup is done\.[^]*what was that\?/,
  );
  assert.deepEqual(model.violations, []);
  assert.deepEqual(readdirSync(join(place.home, 'gateway/handed-over')), []);
  gateway.child.kill('SIGTERM');
  await gateway.ended;
  const alone = ok(await hermes(place, ['send', '--to', 'telegram:1001', '--json', 'Nobody runs.']));
  assert.partialDeepStrictEqual(JSON.parse(alone.stdout), { mirrored: true });
  const other = ok(await hermes(place, ['send', '--to', 'telegram:-1002', '--json', 'to others']));
  assert.equal('mirrored' in JSON.parse(other.stdout), false, 'there is no conversation of that chat');
  const found = ok(await hermes(place, ['sessions', 'search', 'Nobody runs']));
  assert.match(found.stdout, /Nobody\W+runs/);
});

test('a gateway that is stuck does not keep a message: whoever asked takes it back and sends it', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model);
  const gateway = place.run();
  await place.inState(gateway, 'running');
  gateway.child.kill('SIGSTOP');
  const run = await hermes(place, ['send', '--to', 'telegram:1001', 'still']);
  gateway.child.kill('SIGCONT');
  ok(run);
  assert.deepEqual(place.texts(), ['still']);
});

test('an agent cannot send with it what it may not send by itself', async (t) => {
  const { fake, send } = await sendPlace(t);
  const run = await send(['--to', 'telegram:1001', 'hi'], { env: { HERMES_SHELL_ID: `${'0'.repeat(32)}.1.` } });
  assert.equal(run.code, 1);
  assert.match(run.stderr, /An agent cannot run 'hermes send'/);
  assert.deepEqual(fake.server.requests, []);
});
