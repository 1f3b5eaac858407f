/** Files that come with messages, and files that answers name. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { userDirectory } from '../../src/config/home.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Variables } from '../../src/config/variables.ts';
import type { PlatformAdapter } from '../../src/gateway/platform/adapter.ts';
import type { Attachment, MessageEvent } from '../../src/gateway/platform/message-event.ts';
import { MediaCache } from '../../src/gateway/media/media-cache.ts';
import { openMedia } from '../../src/gateway/media/open-media.ts';
import { receiveMedia } from '../../src/gateway/media/receive-media.ts';
import type { SendableRules } from '../../src/gateway/media/sendable.ts';
import { mediaOf } from '../../src/gateway/media/take-media.ts';
import { eventAt } from '../../src/gateway/platform/own-event.ts';
import { noLog } from '../../src/lib/log.ts';
import { makePng } from '../fakes/pictures.ts';
import { temporaryHome } from '../config/temporary-home.ts';

const png = makePng(3, 2);

async function receive(t: TestContext, attachment: Attachment, bytes: Uint8Array, maxBytes = 1_000_000) {
  const { home } = temporaryHome(t);
  const cache = new MediaCache({ homePath: home.path, maxBytes, clock: Date });
  const fetch = async (): Promise<AsyncIterable<Uint8Array>> => {
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(bytes);
    }
    return await Promise.resolve(chunks());
  };
  const files = { fetch, send: () => Promise.reject(new Error('nothing is sent here')) };
  const adapter: PlatformAdapter = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    send: () => Promise.resolve({ ok: true, messageId: null }),
    chatInfo: () => Promise.resolve(undefined),
    files,
  };
  const event: MessageEvent = { ...eventAt('fake', 'c1', null), attachments: [attachment] };
  const [file] = await receiveMedia(event, { cache, log: noLog, adapter, signal: new AbortController().signal });
  assert.ok(file);
  return { file, cache, home: home.path };
}

test('a picture is stored, and goes to the model as one', async (t) => {
  const { file, home } = await receive(t, { kind: 'image', reference: 'r', mime_type: 'image/png' }, png);
  assert.equal(file.image?.type, 'image_url');
  assert.match(file.note, new RegExp(`${home}/cache/images/img_[0-9a-f]{12}\\.png`));
});

test('a small text file stands in the message, whatever it is called, and its name is no path', async (t) => {
  const attachment: Attachment = { kind: 'document', reference: 'r', name: '../../etc/passwd.md' };
  const { file, home } = await receive(t, attachment, Buffer.from('# hello'));
  assert.match(file.note, /# hello/);
  const path = /: (\/[^\s\]]+)/.exec(file.note)?.[1] ?? '';
  assert.ok(path.startsWith(join(home, 'cache', 'documents', 'doc_')), path);
  assert.equal(readFileSync(path, 'utf8'), '# hello');
  assert.deepEqual(file.source?.from, 'file');
});

test('a file that is too large is a note, and nothing is left of it', async (t) => {
  const { file, home } = await receive(
    t,
    { kind: 'document', reference: 'r', name: 'a.bin' },
    Buffer.alloc(3000),
    2000,
  );
  assert.match(file.note, /could not be fetched: it is larger/);
  assert.throws(() => readFileSync(join(home, 'cache', 'documents', 'a.bin')));
});

function sending(t: TestContext, allowed: string[] = []) {
  const { home, write } = temporaryHome(t);
  const work = join(home.path, '..', 'work');
  mkdirSync(work, { recursive: true });
  const put = (name: string, ageSeconds = 0): string => {
    const path = join(work, name);
    writeFileSync(path, 'x');
    const at = Date.now() / 1000 - ageSeconds;
    utimesSync(path, at, at);
    return path;
  };
  const cache = new MediaCache({ homePath: home.path, maxBytes: 0, clock: Date });
  const rules: SendableRules = {
    folders: cache.folders,
    allowed,
    homes: [home.path],
    userHome: work,
    strict: true,
    recentSeconds: 600,
    guard: { denyRead: (path) => (path.includes('secret') ? 'no' : undefined) },
    clock: Date,
  };
  return { put, write, home: home.path, take: (answer: string) => mediaOf(answer, work, rules) };
}

test('a file that was just made is sent, and its mark is gone from the text', (t) => {
  const { put, take } = sending(t);
  const path = put('chart.png');
  const { text, files } = take(`Here it is.\nMEDIA:${path}`);
  assert.equal(text, 'Here it is.');
  assert.deepEqual(files, [{ kind: 'image', path, name: 'chart.png' }]);
});

test('old files, guarded files, files of the home, system files and links to them are not sent, and that is said', (t) => {
  const { put, write, home, take } = sending(t);
  write('.env', 'KEY=1');
  const link = join(home, '..', 'work', 'innocent.txt');
  symlinkSync('/etc/passwd', link);
  const here = [join(home, '.env'), '/etc/passwd', put('Makefile', 5000), link];
  const refused = [put('old.pdf', 5000), put('secret.txt'), join(home, '.env.txt'), '/etc/passwd.txt', ...here];
  for (const path of refused) {
    const { text, files } = take(`MEDIA:${path}`);
    assert.deepEqual(files, [], path);
    assert.match(text, /may not be sent from here/);
    assert.ok(!text.includes(join(home, '..')), text);
  }
});

test('files of the own media folders are sent whatever their age', (t) => {
  const { home, take } = sending(t);
  const path = join(home, 'cache', 'documents', 'report.pdf');
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, 'x');
  utimesSync(path, 1, 1);
  assert.equal(take(`MEDIA:${path}`).files.length, 1);
});

test('a folder that is named gives its files away however old they are, but nothing private that lies in it', (t) => {
  const allowed: string[] = [];
  const { put, write, home, take } = sending(t, allowed);
  const sent = (path: string) => take(`MEDIA:${path}`).files.length === 1;
  const [old, secret] = [put('old.pdf', 5000), put('secret.txt', 5000)];
  write('notes.txt', 'private');
  mkdirSync(join(home, 'exports'));
  write('exports/report.pdf', 'x');
  utimesSync(join(home, 'exports', 'report.pdf'), 1, 1);
  assert.ok(!sent(old));
  allowed.push('/');
  assert.ok(sent(old));
  for (const path of [secret, join(home, 'notes.txt'), join(home, 'exports', 'report.pdf'), '/etc/passwd']) {
    assert.ok(!sent(path), path);
  }
  allowed.push(home, '/etc');
  assert.ok(!sent(join(home, 'notes.txt')), 'the home as a whole cannot be opened');
  assert.ok(!sent('/etc/passwd'));
  const link = join(home, '..', 'work', 'reports');
  symlinkSync(join(home, 'exports'), link);
  allowed.push(link);
  assert.ok(!sent(join(home, 'exports', 'report.pdf')), 'nor by a link in the place of a folder that is named');
  allowed.push(join(home, 'exports'));
  assert.ok(sent(join(home, 'exports', 'report.pdf')), 'a folder of its own in it can');
  assert.ok(!sent(join(home, 'notes.txt')));
});

test('the folders that may be sent come from the settings or from a variable, with ~ for the home of the person', async (t) => {
  const { home, env: bare, write } = temporaryHome(t);
  const path = join(userDirectory(bare), 'exports', 'old.pdf');
  mkdirSync(join(path, '..'));
  writeFileSync(path, 'x');
  utimesSync(path, 1, 1);
  const sent = async (env: Variables) => {
    const config = await loadConfig({ home, env });
    return openMedia({ options: { home, env, config }, log: noLog }).takeFiles(`MEDIA:${path}`).files.length;
  };
  assert.equal(await sent(bare), 0);
  assert.equal(await sent({ ...bare, HERMES_MEDIA_ALLOW_DIRS: '/srv/none:~/exports' }), 1);
  write('config.yaml', 'gateway:\n  media_delivery_allow_dirs: [~/exports]\n');
  assert.equal(await sent(bare), 1);
});

test('what stands in code is left alone', (t) => {
  const { put, take } = sending(t);
  const path = put('a.pdf');
  const answer = `Run \`cat ${path}\` or\n\`\`\`\nMEDIA:${path}\n\`\`\``;
  assert.deepEqual(take(answer), { text: answer, files: [], refused: [] });
});
