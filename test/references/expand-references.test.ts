/** What references attach to a message: real files, a real repository, and what is refused. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createLocalEnvironment } from '../../src/environments/local/local-environment.ts';
import { expandReferences, type ReferenceOptions } from '../../src/references/expand.ts';
import { isPrivateAddress, refuseWebAddress } from '../../src/safety/web-address.ts';
import { directoryWith } from '../prompt/support.ts';

function workplace(t: TestContext, files: Readonly<Record<string, string | Uint8Array>>) {
  const userHome = directoryWith(t, files);
  const work = join(userHome, 'work');
  const environment = createLocalEnvironment({
    cwd: work,
    env: { HOME: userHome, PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    sessionId: 's',
    homePath: join(userHome, '.hermes'),
  });
  t.after(() => environment.close());
  const expand = (message: string, changes: Partial<ReferenceOptions> = {}) =>
    expandReferences(message, {
      environment,
      userHome,
      homePath: join(userHome, '.hermes'),
      mayRead: () => true,
      contextLength: 100_000,
      redact: (text) => text,
      signal: new AbortController().signal,
      ...changes,
    });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd: work, stdio: 'pipe' });
  return { userHome, work, expand, git, environment };
}

test('a message without references is sent as it is', async (t) => {
  const { expand } = workplace(t, { 'work/a': '' });
  assert.deepEqual(await expand('mail me@x.org'), {
    text: 'mail me@x.org',
    blocked: false,
    warnings: [],
    tokens: 0,
    sources: [{ from: 'user' }],
  });
});

test('some lines of a file are attached behind the message', async (t) => {
  const { expand } = workplace(t, { 'work/a.py': 'one\ntwo\nthree\nfour\n' });
  const { text, warnings } = await expand('Review @file:a.py:2-3.');
  assert.equal(text, 'Review.\n\n--- Attached Context ---\n\n📄 @file:a.py:2-3 (6 tokens)\n```python\ntwo\nthree\n```');
  assert.deepEqual(warnings, []);
});

test('lines that do not exist mean the whole file', async (t) => {
  const { expand } = workplace(t, { 'work/a.py': 'one\ntwo\n' });
  for (const range of ['0', '3', '2-1', '9-12'])
    assert.match((await expand(`@file:a.py:${range}`)).text, /```python\none\ntwo\n```$/, range);
  assert.match((await expand('@file:a.py:2-99')).text, /```python\ntwo\n```$/);
});

test('a fence in a file does not end the block around it', async (t) => {
  const { expand } = workplace(t, { 'work/a.md': 'x\n````\ny\n````\n' });
  assert.match((await expand('@file:a.md')).text, /`{5}markdown\nx\n````\ny\n````\n`{5}$/);
});

test('secrets and places outside the workspace are refused, links followed first', async (t) => {
  const { expand, work, userHome } = workplace(t, {
    '.ssh/id_rsa': 'PRIVATE',
    '.bashrc': 'PRIVATE',
    '.hermes/.env': 'PRIVATE',
    'other/file': 'PRIVATE',
    'work/a': '',
  });
  symlinkSync(join(userHome, 'other', 'file'), join(work, 'link'));
  symlinkSync(join(userHome, '.ssh'), join(work, 'keys'));
  for (const path of ['~/.ssh/id_rsa', '../../etc/passwd', '/etc/passwd', 'link', 'keys/id_rsa', '../other/file']) {
    const { text, warnings } = await expand(`see @file:${path}`);
    assert.doesNotMatch(text, /PRIVATE|root:|Attached/);
    assert.deepEqual(warnings, [`@file:${path}: path is outside the allowed workspace`]);
    assert.equal(text, `see\n\n--- Context Warnings ---\n- ${warnings[0] ?? ''}`);
  }
  for (const path of ['~/.ssh/id_rsa', '~/.bashrc', '~/.hermes/.env', '~/work/keys/id_rsa']) {
    const { text, warnings } = await expand(`@file:${path}`, { root: userHome });
    assert.doesNotMatch(text, /PRIVATE/);
    assert.match(warnings[0] ?? '', /protected/, path);
  }
  assert.match((await expand('@folder:~/.ssh', { root: userHome })).warnings[0] ?? '', /protected/);
  assert.match((await expand('@file:a', { mayRead: () => false })).warnings[0] ?? '', /protected/);
});

test('what cannot be attached is one warning each', async (t) => {
  const { expand } = workplace(t, {
    'work/bin': new Uint8Array([1, 0, 2]),
    'work/pic.png': 'text all the same',
    'work/huge': new Uint8Array(8 * 1024 * 1024 + 1).fill(65),
    'work/dir/x': '',
  });
  const { warnings, text } = await expand(
    '@file:none @file:bin @file:pic.png @file:huge @file:dir @folder:bin @folder:none @diff',
  );
  assert.equal(warnings.length, 8);
  assert.match(
    warnings.join('\n'),
    /none: file not found\n.*bin: binary.*\n.*png: binary.*\n.*8 MiB\n.*not a file\n.*not a folder\n.*folder not found\n@diff: git failed/,
  );
  assert.doesNotMatch(text, /Attached Context/);
});

test('more than a quarter of the context is warned of, more than half refused', async (t) => {
  const { expand } = workplace(t, { 'work/a': 'x'.repeat(4_000) });
  const warned = await expand('see @file:a', { contextLength: 3_000 });
  assert.equal(warned.blocked, false);
  assert.match(warned.text, /- the attached context is about 10\d\d tokens, more than 25%[\s\S]*xxx/);
  const refused = await expand('see @file:a', { contextLength: 1_900 });
  assert.equal(refused.text, 'see @file:a');
  assert.equal(refused.blocked, true);
  assert.match(refused.warnings[0] ?? '', /limit is 950, 50%/);
});

test('a folder is listed with sizes, without hidden and ignored entries', async (t) => {
  const { expand, git, environment } = workplace(t, {
    'work/src/b.ts': 'one\ntwo\n',
    'work/src/lib/a.bin': new Uint8Array([0, 1, 2]),
    'work/src/lib/z.ts': 'x',
    'work/src/.hidden': 'x',
    'work/src/out/ignored.js': 'x',
    'work/.gitignore': 'out/\n',
  });
  git('init', '-q');
  const { text } = await expand('what is in @folder:src/ here');
  assert.equal(
    text,
    'what is in here\n\n--- Attached Context ---\n\n📁 @folder:src/ (17 tokens)\nsrc/\n- b.ts (2 lines)\n- lib/\n  - a.bin (3 bytes)\n  - z.ts (1 lines)',
  );
  const bare = { ...environment, files: environment.files, cwd: environment.cwd } as typeof environment;
  bare.findProgram = () => Promise.resolve(undefined);
  bare.runProgram = () => Promise.reject(new Error('no programs here'));
  assert.match(
    (await expand('@folder:src', { environment: bare })).text,
    /- b\.ts \(2 lines\)\n- lib\/\n {2}- a\.bin[\s\S]*- out\/\n {2}- ignored\.js/,
  );
});

test('a folder of many files is cut after two hundred entries', async (t) => {
  const files = Object.fromEntries(
    Array.from({ length: 230 }, (_, n) => [`work/many/f${String(n).padStart(3, '0')}`, 'x']),
  );
  const { expand } = workplace(t, files);
  const { text } = await expand('@folder:many');
  assert.equal(text.match(/^- f/gm)?.length, 200);
  assert.ok(text.endsWith('- f199 (1 lines)\n- ...'));
});

test('changes come from git without running what the repository names', async (t) => {
  const { expand, git, work } = workplace(t, { 'work/a.txt': 'one\n' });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  assert.match((await expand('@diff')).text, /🧾 git diff \(\d+ tokens\)\n```diff\n\(no output\)\n```$/);
  git('config', 'diff.external', `touch ${join(work, 'ran')} #`);
  execFileSync('sh', ['-c', 'echo two >> a.txt'], { cwd: work });
  const { text } = await expand('@diff @staged @git:50');
  assert.match(
    text,
    /🧾 git diff \([\s\S]*\+two[\s\S]*🧾 git diff --staged \([\s\S]*\(no output\)[\s\S]*🧾 git log -10 -p \([\s\S]*first[\s\S]*\+one/,
  );
  assert.throws(() => execFileSync('ls', [join(work, 'ran')], { stdio: 'pipe' }));
});

test('what is attached goes through the mask for secrets', async (t) => {
  const { expand } = workplace(t, { 'work/a': 'key sk-123' });
  assert.match((await expand('@file:a', { redact: (text) => text.replace('sk-123', '***') })).text, /key \*\*\*/);
});

test('a page is attached as foreign text; private addresses are never asked', async (t) => {
  const { expand } = workplace(t, { 'work/a': '' });
  const asked: string[] = [];
  const readPage = (url: string) => {
    asked.push(url);
    return Promise.resolve('# Title\n\ntext\n');
  };
  const page = await expand('sum up @url:https://example.org/x.', { readPage });
  assert.equal(
    page.text,
    'sum up.\n\n--- Attached Context ---\n\n🌐 @url:https://example.org/x (4 tokens)\n# Title\n\ntext',
  );
  assert.ok(page.sources.some(({ from }) => from === 'page'));
  for (const url of [
    'http://127.0.0.1/',
    'http://localhost:8080',
    'http://[::1]/',
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'http://2130706433/',
    'nonsense',
    'https://me:pw@x.org/',
  ])
    assert.equal((await expand(`@url:${url}`, { readPage })).warnings.length, 1, url);
  assert.deepEqual(asked, ['https://example.org/x']);
  assert.match((await expand('@url:https://example.org')).warnings[0] ?? '', /cannot be read here/);
});

test('a page that never answers is one warning after its time', async (t) => {
  const { expand } = workplace(t, { 'work/a': '' });
  const { warnings } = await expand('@url:https://example.org', {
    readPage: () => new Promise(() => undefined),
    pageTimeoutMs: 5,
  });
  assert.match(warnings[0] ?? '', /cannot be read/);
});

test('an interrupt ends the reading', async (t) => {
  const { expand } = workplace(t, { 'work/a': '' });
  const stop = new AbortController();
  const expanding = expand('@url:https://example.org', {
    readPage: () => {
      stop.abort();
      return new Promise(() => undefined);
    },
    signal: stop.signal,
  });
  await assert.rejects(expanding, { name: 'AbortError' });
});

test('addresses of machines that are not public are known in every spelling', () => {
  for (const address of [
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '::1',
    '::',
    '[fe80::1%eth0]',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])
    assert.ok(isPrivateAddress(address), address);
  for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:1.1.1.1', 'example.org'])
    assert.ok(!isPrivateAddress(address), address);
  for (const url of [
    'http://router/',
    'http://db.internal./',
    'http://x.localhost',
    'http://0x7f.1/',
    'http://[::ffff:10.0.0.1]/',
    'ftp://x.org',
  ])
    assert.notEqual(refuseWebAddress(url), undefined, url);
  for (const url of ['https://example.org', 'http://1.1.1.1/', 'https://xn--bcher-kva.example.com:8443/a'])
    assert.equal(refuseWebAddress(url), undefined, url);
});
