/** `hermes curator …` as a person sees it. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import type { CliContext } from '../../src/cli/command.ts';
import { build } from '../../src/cli/commands/curator.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { makeHome, skillText, type TestHome } from '../skills/support.ts';

function aged(home: TestHome, names: readonly string[], days: number): void {
  const at = new Date(Date.now() - days * 86_400_000).toISOString();
  const entries = names.map((name) => [name, { created_by: 'agent', created_at: at }]);
  for (const name of names) home.put(`skills/${name}/SKILL.md`, skillText(name, `About ${name}`));
  home.put('skills/.usage.json', JSON.stringify(Object.fromEntries(entries)));
}

async function run(home: TestHome, args: readonly string[], answer = ''): Promise<string> {
  const stdout = new PassThrough();
  const stdin = new PassThrough();
  stdin.end(answer);
  const place = { path: home.path, root: home.path, profile: 'default' };
  const context = {
    io: { stdin, stdout, stderr: stdout },
    home: place,
    global: { ignoreUserConfig: false, verbose: false },
    env: {},
    config: () => loadConfig({ home: place, env: {} }),
    commands: [],
    exitCode: 0,
  } as unknown as CliContext;
  const command = build(context).exitOverride();
  for (const sub of command.commands) sub.exitOverride().configureOutput({ writeErr: () => undefined });
  await command.parseAsync([...args], { from: 'user' });
  stdout.end();
  let text = '';
  for await (const piece of stdout) text += String(piece);
  return text;
}

function setUp(t: TestContext): TestHome {
  const home = makeHome(t);
  home.put('config.yaml', 'curator:\n  enabled: true\n');
  return home;
}

test('the status of an empty home makes nothing', async (t) => {
  const home = setUp(t);
  assert.match(await run(home, []), /^Curator: {2}on\nLast run: never\n/);
  assert.ok(!existsSync(join(home.path, 'skills')));
});

test('a run archives, says so, and can be undone', async (t) => {
  const home = setUp(t);
  aged(home, ['old'], 100);
  assert.match(await run(home, ['run', '--dry-run']), /Would become:\n- old: active → archived/);
  assert.match(
    await run(home, ['run']),
    /Became:\n- old: active → archived \(100 days unused\)[^]*Report: .*logs\/curator\//,
  );
  assert.equal(await run(home, ['list-archived']), 'old\n');
  assert.match(await run(home, ['status']), /Runs: {5}1;/);
  assert.match(await run(home, ['rollback', '--list']), /curator run\n$/);
  assert.equal((await run(home, ['rollback'], 'n\n')).endsWith('Cancelled.\n'), true);
  assert.match(await run(home, ['rollback', '-y']), /The skills are back at/);
  assert.match(home.get('skills/old/SKILL.md'), /About old/);
});

test('pin, unpin, archive, restore, pause and resume', async (t) => {
  const home = setUp(t);
  aged(home, ['one'], 100);
  await run(home, ['pin', 'one']);
  assert.match(await run(home, []), /Pinned: {3}one/);
  assert.match(await run(home, ['run']), /Nothing changed/);
  await run(home, ['unpin', 'one']);
  assert.match(await run(home, ['archive', 'one']), /in the archive/);
  assert.equal(await run(home, ['restore', 'one']), "'one' is back at skills/one.\n");
  await run(home, ['pause']);
  assert.match(await run(home, []), /^Curator: {2}paused/);
  await run(home, ['resume']);
  assert.match(await run(home, []), /^Curator: {2}on/);
});

test('prune archives what is older than asked for, after a question', async (t) => {
  const home = setUp(t);
  aged(home, ['a', 'b'], 20);
  assert.match(await run(home, ['prune']), /unused for 90 days/);
  assert.match(await run(home, ['prune', '--days', '10'], 'n\n'), /Archive 2 skill\(s\)\? \[y\/N\] Cancelled/);
  assert.match(await run(home, ['prune', '--days', '10', '-y']), /- a: active → archived/);
  assert.equal(await run(home, ['list-archived']), 'a\nb\n');
  await assert.rejects(run(home, ['prune', '--days', '0']), /whole number/);
});

test('with --consolidate the configured model merges, and the report maps old to new', async (t) => {
  const home = setUp(t);
  aged(home, ['ship-a', 'ship-b'], 5);
  await using server = await startModelServer({ strict: true });
  home.put(
    'config.yaml',
    `model:\n  provider: custom\n  base_url: ${server.url}\n  default: fake\n  api_key: k\n  context_length: 200000\n`,
  );
  server.enqueue(
    { toolCalls: [{ name: 'skill_view', arguments: { name: 'ship-a' } }] },
    {
      toolCalls: [
        { name: 'skill_manage', arguments: { action: 'create', name: 'ship', content: skillText('ship', 'Shipping') } },
        { name: 'skill_archive', arguments: { name: 'ship-a', merged_into: 'ship' } },
        { name: 'skill_archive', arguments: { name: 'ship-b', merged_into: 'ship' } },
      ],
    },
    { text: 'Both are one now.' },
  );
  const said = await run(home, ['run', '--consolidate']);
  assert.match(said, /Merged:\n- ship-a → ship\n- ship-b → ship\n\nBoth are one now\./);
  assert.equal(await run(home, ['list-archived']), 'ship-a\nship-b\n');
  assert.equal(JSON.parse(home.get('skills/.usage.json')).ship.created_by, 'agent');
  assert.match(await run(home, ['rollback', '--list']), /curator run/);
  assert.deepEqual(server.violations, []);
});

test('a model of the curator that is out of credit is named, and the main one does its work', async (t) => {
  const home = setUp(t);
  aged(home, ['ship-a', 'ship-b'], 5);
  await using main = await startModelServer({ respond: () => ({ text: 'Nothing to merge.' }) });
  await using broke = await startModelServer({ respond: () => ({ fault: 'status', status: 402 }) });
  home.put(
    'config.yaml',
    `model:\n  provider: custom\n  base_url: ${main.url}\n  default: fake\n  api_key: k\n  context_length: 200000\nauxiliary:\n  curator:\n    base_url: ${broke.url}\n    model: small\n`,
  );
  const said = await run(home, ['run', '--consolidate']);
  assert.match(said, /^Auxiliary curator: continuing with fake \(custom\)\.\n/);
  assert.match(said, /Nothing to merge\./);
});

test('the use of skills is counted by origin, as a table and as JSON', async (t) => {
  const home = setUp(t);
  for (const name of ['one', 'two', 'mine']) home.put(`skills/${name}/SKILL.md`, skillText(name, `About ${name}`));
  const used = new Date(Date.now() - 3 * 3_600_000).toISOString();
  home.put(
    'skills/.usage.json',
    JSON.stringify({ two: { created_by: 'agent', use_count: 3, view_count: 1, last_used_at: used, pinned: true } }),
  );
  home.put('skills/.bundled_manifest', 'one:abc\n');
  const table = await run(home, ['usage']);
  assert.match(table, /^3 skills \(agent=1, bundled=1, hub=0, user=1\)\n/);
  assert.match(table, /\n {2}two +agent +3 +1 +0 +4 {2}3h ago\n/);
  const rows = JSON.parse(await run(home, ['usage', '--json', '--sort', 'name']));
  assert.deepEqual(
    rows.map((row: Record<string, unknown>) => [row['name'], row['provenance'], row['activity_count'], row['pinned']]),
    [
      ['mine', 'user', 0, false],
      ['one', 'bundled', 0, false],
      ['two', 'agent', 4, true],
    ],
  );
  assert.deepEqual(JSON.parse(await run(home, ['usage', '--json', '--provenance', 'hub'])), []);
});
