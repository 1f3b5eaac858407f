/** `hermes sessions …` as a person sees it. */
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import type { CliContext } from '../../src/cli/command.ts';
import { build } from '../../src/cli/commands/sessions.ts';
import { UserError } from '../../src/lib/errors.ts';
import { hermes, makePlace, shell } from '../cli/hermes-process.ts';
import { call, execute, query, temporaryDirectory, temporaryStore, user } from './support.ts';

test('without a database there is nothing to list, and none is made', async (t) => {
  const home = temporaryDirectory(t);
  for (const args of [['list'], ['search', 'x'], ['stats'], ['prune', '-y'], ['repair']]) {
    assert.equal(await run(home, args), 'No sessions found.\n', args.join(' '));
  }
  assert.equal(await run(home, ['export', '-']), '');
  for (const args of [
    ['show', 'x'],
    ['delete', 'x', '-y'],
    ['rename', 'x', 'y'],
    ['export', '-', '--session-id', 'x'],
  ]) {
    await assert.rejects(run(home, args), /^UserError: Session 'x' not found\.$/, args.join(' '));
  }
  assert.deepEqual(readdirSync(home), []);
});

test('the list shows preview, time, source and id, and titles once there are any', async (t) => {
  const { home, store } = await homeWithStore(t);
  await store.sessions.create({ id: 'first', source: 'cli' });
  await store.messages.append('first', user('how do I\ncook \x1b[31mrice\x1b[0m?'));
  await store.sessions.create({ id: 'second', source: 'telegram' });
  execute(store.path, "UPDATE sessions SET started_at = started_at - 90000 WHERE id = 'second'");
  const plain = await run(home, ['list']);
  const [header, , first, second] = plain.split('\n');
  assert.match(header ?? '', /^Preview +Last Active +Src +ID$/);
  assert.match(first ?? '', /^how do I cook \\x1b\[31mrice\\x1b\[0m\? +just now +cli +first$/);
  assert.match(second ?? '', /^ +yesterday +telegram +second$/);
  assert.ok(!plain.includes('\x1b'));

  await store.sessions.setTitle('first', '煮饭');
  const [titled, , row] = (await run(home, ['list', '--source', 'cli', '--limit', '1'])).split('\n');
  assert.match(titled ?? '', /^Title +Preview +Last Active +ID$/);
  assert.match(row ?? '', /^煮饭 +how do I cook .* just now +first$/);
  assert.equal(row?.indexOf('how'), (titled?.indexOf('Preview') ?? 0) - 2, 'two wide characters take four cells');
  assert.equal(await run(home, ['list', '--source', 'signal']), 'No sessions found.\n');
});

test('tool sessions are listed only when asked for', async (t) => {
  const { home, store } = await homeWithStore(t);
  await store.sessions.create({ id: 'hidden', source: 'tool' });
  assert.equal(await run(home, ['list']), 'No sessions found.\n');
  assert.match(await run(home, ['list', '--source', 'tool']), /hidden\n$/);
});

test('a conversation is shown with its roles, one line a tool call, and nothing that moves the terminal', async (t) => {
  const { home, store } = await homeWithStore(t);
  await store.sessions.create({ id: '20260101_abc', source: 'cli', model: 'm' });
  await store.messages.append('20260101_abc', user('hello\nthere\x1b]0;owned\x07'));
  await store.messages.append('20260101_abc', call('terminal', { command: 'ls\n-l\u202E' }));
  await store.messages.append('20260101_abc', {
    role: 'tool',
    tool_call_id: 'call_1',
    tool_name: 'terminal',
    content: 'file\r\n',
  });
  const shown = await run(home, ['show', '2026']);
  assert.match(shown, /^Session: +20260101_abc\n/);
  assert.match(shown, /Messages: +3 \(1 tool call\)/);
  assert.match(shown, /\] user\nhello\nthere\\x1b\]0;owned\\x07\n/);
  assert.match(shown, /\] assistant\n→ terminal \{"command":"ls\\n-l\\u\{202e\}"\}\n/);
  assert.match(shown, /\] tool terminal\nfile/);
  assert.doesNotMatch(shown, /[\x1b\x07\r\u202E]/);
});

test('an ambiguous beginning of an id is refused', async (t) => {
  const { home, store } = await homeWithStore(t);
  for (const id of ['a1', 'a2']) await store.sessions.create({ id, source: 'cli' });
  await assert.rejects(run(home, ['show', 'a']), /ambiguous/);
  await assert.rejects(run(home, ['delete', 'a', '-y']), /ambiguous/);
});

test('search prints session, title and excerpt of each hit', async (t) => {
  const { home, store } = await homeWithStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.sessions.setTitle('s', 'Cooking');
  await store.messages.append('s', user('the rice\nis burnt'));
  await store.messages.append('s', { role: 'assistant', content: 'more rice' });
  const found = await run(home, ['search', 'rice', '--role', 'user']);
  assert.match(
    found,
    /^s {2}· {2}Cooking {2}· {2}user {2}· {2}cli {2}· {2}\d{4}-\d\d-\d\d \d\d:\d\d\n {2}the >>>rice<<< is burnt\n\n$/,
  );
  assert.equal((await run(home, ['search', 'rice', '--limit', '1'])).split('>>>').length, 2);
  assert.equal(await run(home, ['search', 'rice', '--source', 'telegram']), "Nothing found for 'rice'.\n");
  assert.equal(await run(home, ['search', 'no', 'such', 'thing']), "Nothing found for 'no such thing'.\n");
});

test('renaming joins the words; a taken title is refused', async (t) => {
  const { home, store } = await homeWithStore(t);
  for (const id of ['one', 'two']) await store.sessions.create({ id, source: 'cli' });
  assert.equal(await run(home, ['rename', 'on', 'My', 'great', 'talk']), "Session 'one' renamed to: My great talk\n");
  await assert.rejects(
    run(home, ['rename', 'two', 'My great talk']),
    /Error: Title 'My great talk' is already in use by session one/,
  );
});

test('deleting asks first; no answer is a no', async (t) => {
  const { home, store } = await homeWithStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  assert.match(await run(home, ['delete', 's'], ''), /\[y\/N\] Cancelled\.\n$/);
  assert.match(await run(home, ['delete', 's'], 'n\n'), /Cancelled/);
  assert.ok(await store.sessions.get('s'));
  assert.match(await run(home, ['delete', 's'], 'y\n'), /Deleted session 's'\.\n$/);
  assert.equal(await store.sessions.get('s'), undefined);
});

test('pruning spares what has not ended', async (t) => {
  const { home, store } = await homeWithStore(t);
  for (const id of ['open', 'ended', 'other'])
    await store.sessions.create({ id, source: id === 'other' ? 'signal' : 'cli' });
  for (const id of ['ended', 'other']) await store.sessions.end(id, 'user_exit');
  execute(store.path, `UPDATE sessions SET started_at = started_at - ${40 * 86_400}`);
  assert.match(await run(home, ['prune', '--yes']), /^No sessions match \(started before /);
  assert.match(await run(home, ['prune', '--older-than', '30'], ''), /Cancelled/);
  assert.match(
    await run(home, ['prune', '--older-than', '30', '--source', 'cli', '--yes']),
    /\nPruned 1 session\(s\)\.\n$/,
  );
  assert.deepEqual((await store.maintenance.sessionIds()).sort(), ['open', 'other']);
});

test('stats count by source', async (t) => {
  const { home, store } = await homeWithStore(t);
  for (const id of ['a', 'b']) await store.sessions.create({ id, source: 'cli' });
  await store.messages.append('a', user('x'));
  assert.match(
    await run(home, ['stats']),
    /^Total sessions: 2\nTotal messages: 1\n {2}cli: 2 sessions\nDatabase size: 0\.\d MB\n$/,
  );
});

test('an export is one line a session, to a file or to standard output', async (t) => {
  const { home, store } = await homeWithStore(t);
  for (const id of ['a', 'b']) {
    await store.sessions.create({ id, source: id === 'a' ? 'cli' : 'signal' });
    await store.messages.append(id, user(`in ${id}`));
  }
  const out = join(home, 'out.jsonl');
  assert.equal(await run(home, ['export', out]), `Exported 2 session(s) to ${out}\n`);
  assert.deepEqual(
    readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).messages.length),
    [1, 1],
  );
  assert.equal(JSON.parse(await run(home, ['export', '-', '--session-id', 'a'])).messages[0].content, 'in a');
  assert.equal(JSON.parse(await run(home, ['export', '-', '--source', 'signal'])).id, 'b');
  await assert.rejects(run(home, ['export', join(home, 'missing', 'x.jsonl')]), /Cannot export to .*missing/);
  await assert.rejects(run(home, ['export', '-', '--session-id', 'zzz']), /Session 'zzz' not found/);
  assert.deepEqual(
    readdirSync(home).filter((name) => name.includes('partial')),
    [],
  );
});

test('an export into a pipe that closes early ends quietly', { timeout: 60_000 }, async (t) => {
  const place = makePlace(t);
  const store = await temporaryStore(t, { path: join(place.home, 'state.db') });
  for (let index = 0; index < 40; index += 1) {
    await store.sessions.create({ id: `s${index}`, source: 'cli' });
    await store.messages.append(`s${index}`, user('x'.repeat(100_000)));
  }
  await store.close();
  const piped = await shell(place, 'set -o pipefail; "$node" "$main" sessions export - | head -1');
  assert.deepEqual([piped.code, piped.stderr], [0, '']);
  assert.ok(Array.isArray(JSON.parse(piped.stdout).messages));
  const whole = await hermes(place, ['sessions', 'export', '-']);
  assert.deepEqual([whole.code, whole.stdout.trim().split('\n').length], [0, 40]);
});

test('wrong usage ends with 2, a missing session with 1, both told on standard error', {
  timeout: 60_000,
}, async (t) => {
  const place = makePlace(t);
  const bad = await hermes(place, ['sessions', 'list', '--limit', 'many']);
  assert.deepEqual([bad.code, bad.stdout], [2, '']);
  const missing = await hermes(place, ['sessions', 'show', 'X']);
  assert.deepEqual([missing.code, missing.stdout], [1, '']);
  assert.match(missing.stderr, /Session 'X' not found\./);
});

test('repair tells a sound database apart from a damaged one, which is set aside by name only on a yes', async (t) => {
  const { home, store } = await homeWithStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.messages.append('s', user('needle'));
  execute(store.path, 'DELETE FROM messages_fts');
  assert.deepEqual(await store.search.messages({ query: '"needle" OR x' }), []);
  assert.equal(await run(home, ['repair']), 'The session database is sound; its indexes were rebuilt.\n');
  assert.equal((await store.search.messages({ query: '"needle" OR x' })).length, 1);
  await store.close();

  writeFileSync(store.path, 'garbage '.repeat(1000));
  await assert.rejects(run(home, ['repair'], 'n\n'), /left as it is/);
  assert.ok(existsSync(store.path));
  assert.match(
    await run(home, ['repair', '--yes']),
    /is damaged:\n {2}file is not a database\nThe damaged database is now .*state\.db\.damaged;/,
  );
  assert.equal(readFileSync(`${store.path}.damaged`, 'utf8'), 'garbage '.repeat(1000));
  assert.ok(!existsSync(store.path));
});

test('repair takes over what can be read around damaged pages, and indexes it anew', async (t) => {
  const { home, store } = await homeWithStore(t);
  const sessions = Array.from({ length: 20 }, (_, n) => `s${n}`);
  for (const id of sessions) {
    await store.sessions.create({ id, source: 'cli' });
    for (let n = 0; n < 20; n += 1) await store.messages.append(id, user(`needle ${n} ${'lorem ipsum '.repeat(80)}`));
  }
  await store.close();
  const size = statSync(store.path).size;
  const pages = query<{ page: number }>(store.path, "SELECT pageno AS page FROM dbstat WHERE name = 'messages'");
  const file = openSync(store.path, 'r+');
  // One leaf of the messages in the middle, and a good part of the search index.
  const middle = pages[Math.floor(pages.length / 2)]?.page ?? 0;
  writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, (middle - 1) * 4096);
  closeSync(file);
  const index = query<{ page: number }>(
    store.path,
    "SELECT pageno AS page FROM dbstat WHERE name = 'messages_fts_data'",
  );
  const again = openSync(store.path, 'r+');
  for (const { page } of index.slice(2)) writeSync(again, Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096);
  closeSync(again);
  const said = await run(home, ['repair', '--yes']);
  const [, kept, messages] = /state\.db\.damaged; (\d+) sessions with (\d+) messages could be read/.exec(said) ?? [];
  assert.equal(kept, '20', said);
  assert.ok(Number(messages) > 380 && Number(messages) < 400, `only what stood on that page is lost: ${messages}`);
  const mended = await temporaryStore(t, { path: store.path });
  assert.deepEqual(await mended.maintenance.checkIntegrity(), []);
  assert.equal((await mended.search.messages({ query: 'needle', limit: 500 })).length, Number(messages));
  assert.equal(statSync(`${store.path}.damaged`).size, size);
  assert.deepEqual(
    readdirSync(home).filter((name) => name.includes('salvaged')),
    [],
  );
});

async function homeWithStore(
  t: TestContext,
): Promise<{ home: string; store: Awaited<ReturnType<typeof temporaryStore>> }> {
  const home = temporaryDirectory(t);
  return { home, store: await temporaryStore(t, { path: join(home, 'state.db') }) };
}

/** Runs `sessions …args` and returns what it printed; `stdin` is what was typed before the end of input. */
async function run(home: string, args: readonly string[], stdin = ''): Promise<string> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(stdin);
  let printed = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const context = {
    io: { stdin: input, stdout: output, stderr: new PassThrough() },
    home: { path: home, root: home, profile: 'default' },
    global: { ignoreUserConfig: false, verbose: false },
    env: {},
    commands: [],
    exitCode: 0,
    config: () => Promise.reject(new UserError('not needed')),
  } as unknown as CliContext;
  await build(context)
    .exitOverride()
    .parseAsync([...args], { from: 'user' });
  assert.equal(context.exitCode, 0);
  return printed;
}
