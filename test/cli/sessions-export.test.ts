/** `hermes sessions export`: every form, as the original writes it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { openSessionStore } from '../../src/sessions/open-store.ts';
import { hermes, linesOf, makePlace, type Place, type Run } from './hermes-process.ts';

const noPipes = process.platform === 'win32' && 'no pipes in the file system';
const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';

async function placeWithOne(t: TestContext): Promise<Place> {
  const place = makePlace(t);
  const clock = { now: () => Date.UTC(2026, 6, 5, 12, 30, 1, 500) };
  const store = await openSessionStore({ kind: 'sqlite', path: join(place.home, 'state.db') }, { clock });
  await store.sessions.create({ id: 's1', source: 'cli', model: 'test-model', workspace: { cwd: '/work/shop' } });
  await store.messages.append('s1', { role: 'user', content: `list them, the key is ${secret}` });
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'terminal', arguments: '{"command":"ls"}' },
  } as const;
  await store.messages.append('s1', { role: 'assistant', content: 'I look.', tool_calls: [call] });
  await store.messages.append('s1', { role: 'tool', tool_call_id: 'call_1', tool_name: 'terminal', content: 'a.txt' });
  await store.messages.append('s1', { role: 'assistant', content: 'One file.' });
  await store.sessions.setTitle('s1', 'My <Shop>');
  await store.sessions.end('s1', 'cli_close');
  await store.close();
  return place;
}

const exported = (place: Place, ...args: string[]): Promise<Run> => hermes(place, ['sessions', 'export', ...args]);

suite('hermes sessions export', { concurrency: 2 }, () => {
  test('a pipe gets the export and stays a pipe, as with `export >(jq .)`', { skip: noPipes }, async (t) => {
    const place = await placeWithOne(t);
    const pipe = join(place.work, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = readFile(pipe, 'utf8');
    const run = await exported(place, pipe);
    assert.deepEqual([run.code, run.stderr], [0, '']);
    assert.ok(lstatSync(pipe).isFIFO());
    assert.match(await reader, /^\{"id":"s1".*"messages":\[/);
    const back = await hermes(place, ['import', pipe]);
    assert.deepEqual([back.code, back.stderr], [1, `hermes: ${pipe} is not a file.\n`]);
  });

  test('md: a page with its facts, its messages and its proof, a line in the manifest, and no overwriting', async (t) => {
    const place = await placeWithOne(t);
    const out = join(place.work, 'pages');
    const run = await exported(place, out, '--format', 'md', '--source', 'cli');
    assert.deepEqual([run.code, run.stdout], [0, `Exported 1 session(s) to ${out}\n`]);
    assert.deepEqual(readdirSync(out).sort(), ['manifest.jsonl', 's1-my-shop.md']);
    const page = readFileSync(join(out, 's1-my-shop.md'), 'utf8');
    assert.match(
      page,
      /^---\nsession_id: "s1"\ntitle: "My <Shop>"\nsource: "cli"\ncreated_at: "2026-07-05T12:30:01.500000Z"\nupdated_at: ""\n/,
    );
    assert.match(
      page,
      /\n# My <Shop>\n\nSession ID: `s1`\n\nSource: `cli`\n\nWorking directory: `\/work\/shop`\n\n## Messages\n/,
    );
    assert.match(page, /### Assistant — 2026-07-05T12:30:01\.500000Z\n\nI look\.\n\n\n\n## Tool calls\n\n```json\n/);
    assert.match(
      page,
      /### Tool — terminal — \S+\n\na\.txt\n\n\n### Assistant — \S+\n\nOne file\.\n\n## Export verification\n/,
    );
    assert.ok(page.includes(secret));
    const entry = JSON.parse(readFileSync(join(out, 'manifest.jsonl'), 'utf8'));
    assert.deepEqual([entry.session_id, entry.message_count, entry.lineage_session_ids], ['s1', 4, ['s1']]);
    const again = await exported(place, out, '--format', 'md', '--source', 'cli');
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.equal((await exported(place, out, '--format', 'md', '--source', 'cli', '--redact', '--force')).code, 0);
    assert.ok(!readFileSync(join(out, 's1-my-shop.md'), 'utf8').includes(secret));
    const all = await exported(place, out, '--format', 'md');
    assert.equal(all.code, 2);
  });

  test('trace: lines in the form of Claude Code, chained, and masked unless asked', async (t) => {
    const place = await placeWithOne(t);
    const { stdout } = await exported(place, '-', '--format', 'trace');
    const lines = linesOf(stdout).map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ type }) => type),
      ['user', 'assistant', 'user', 'assistant'],
    );
    assert.deepEqual(lines[1].message.content, [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'call_1', name: 'terminal', input: { command: 'ls' } },
    ]);
    assert.deepEqual(lines[2].message.content, [{ type: 'tool_result', tool_use_id: 'call_1', content: 'a.txt' }]);
    assert.deepEqual([lines[0].parentUuid, lines[1].parentUuid], [null, lines[0].uuid]);
    assert.ok(!stdout.includes(secret));
    assert.ok((await exported(place, '-', '--format', 'trace', '--no-redact')).stdout.includes(secret));
  });

  test('jsonl: by filters, masked on request, only the prompts, and --dry-run', async (t) => {
    const place = await placeWithOne(t);
    const row = JSON.parse((await exported(place, '-', '--title', 'shop', '--min-messages', '2')).stdout);
    assert.deepEqual([row.id, row.messages.length, row.cwd], ['s1', 4, '/work/shop']);
    assert.equal((await exported(place, '-', '--title', 'nothing like it')).stdout, '');
    const masked = (await exported(place, '-', '--redact')).stdout;
    assert.equal(JSON.parse(masked).messages.length, 4);
    assert.ok(!masked.includes(secret));
    const prompt = JSON.parse((await exported(place, '-', '--only', 'user-prompts')).stdout);
    assert.deepEqual(
      [prompt.session_id, prompt.index, prompt.created_at, prompt.role],
      ['s1', 1, '2026-07-05T12:30:01Z', 'user'],
    );
    assert.match((await exported(place, '-', '--source', 'cli', '--dry-run')).stdout, /^Would export 1 .*\n {2}s1\n$/);
    const nowhere = await exported(place);
    assert.deepEqual([nowhere.code, nowhere.stdout], [2, '']);
  });

  test('html: one page that runs nothing, with everything escaped', async (t) => {
    const place = await placeWithOne(t);
    const out = join(place.work, 'page.html');
    assert.equal((await exported(place, out, '--format', 'html', '--redact')).code, 0);
    const page = readFileSync(out, 'utf8');
    assert.match(page, /^<!doctype html>[\s\S]*<h1>My &lt;Shop&gt;<\/h1>[\s\S]*<\/html>\n$/);
    assert.match(page, /<summary>Call: terminal<\/summary><pre>\{&quot;command&quot;:&quot;ls&quot;\}<\/pre>/);
    assert.ok(!page.includes(secret) && !page.includes('<script'));
  });

  test('a session is deleted after its page was read back, and only when all of that was said', async (t) => {
    const place = await placeWithOne(t);
    const out = join(place.work, 'pages');
    const asked = [out, '--format', 'md', '--session-id', 's1', '--delete-after-verified'];
    const unsure = await exported(place, ...asked);
    assert.deepEqual([unsure.code, unsure.stdout], [2, '']);
    assert.match(unsure.stderr, /also needs --yes/);
    const done = await exported(place, ...asked, '--yes');
    assert.match(done.stdout, /read it back, and deleted the session/);
    assert.deepEqual(readdirSync(out).sort(), ['manifest.jsonl', 's1-my-shop.md']);
    assert.equal((await exported(place, '-')).stdout, '');
  });
});
