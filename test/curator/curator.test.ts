/** The curator: what grows old, what never does, what is kept, and the way back. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { UserError } from '../../src/lib/errors.ts';
import { createCurator, type CuratorSettings } from '../../src/curator/curator.ts';
import { noLog } from '../../src/lib/log.ts';
import { SkillUsage } from '../../src/skills/usage.ts';
import { makeHome, skillText, type TestHome } from '../skills/support.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 5, 1);
const { signal } = new AbortController();
/** Nobody has worked yet. */
const never = (): Promise<undefined> => Promise.resolve(undefined);

const plain: CuratorSettings = {
  enabled: true,
  intervalHours: 168,
  minIdleHours: 2,
  staleAfterDays: 30,
  archiveAfterDays: 90,
  pruneBuiltins: true,
  backup: { enabled: true, keep: 5 },
};

function setUp(t: TestContext, changes: Partial<CuratorSettings> = {}) {
  const home = makeHome(t);
  const clock = { now: start };
  const curator = createCurator({
    homePath: home.path,
    settings: { ...plain, ...changes },
    now: () => new Date(clock.now),
  });
  return { home, clock, curator };
}

/** A skill of the agent's own that was last used so many days ago. */
function aged(home: TestHome, name: string, days: number, more: object = {}, category = 'dev/'): void {
  home.put(`skills/${category}${name}/SKILL.md`, skillText(name, `About ${name}`));
  home.put(`skills/${category}${name}/scripts/run.sh`, 'echo hi\n');
  const path = join(home.path, 'skills', '.usage.json');
  const all = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  const at = new Date(start - days * day).toISOString();
  all[name] = { created_by: 'agent', created_at: at, last_used_at: at, state: 'active', ...more };
  writeFileSync(path, JSON.stringify(all));
}

/** Every file below skills/ with its text, but for what a snapshot leaves out. */
function tree(home: TestHome): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(home.path, 'skills', folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (/^\.(?:curator_|.*\.lock$)/.test(path)) continue;
      if (entry.isDirectory()) walk(path);
      else found[path] = readFileSync(join(home.path, 'skills', path), 'utf8');
    }
  };
  walk('');
  return found;
}

test('unused skills grow stale after 30 days and are archived after 90, with a snapshot and a report', async (t) => {
  const { home, curator } = setUp(t);
  aged(home, 'fresh', 1);
  aged(home, 'resting', 31);
  aged(home, 'old', 91, {}, 'ops/');
  const report = await curator.run({ signal });
  assert.deepEqual(Object.fromEntries(report.transitions.map(({ skill, to }) => [skill.name, to])), {
    old: 'archived',
    resting: 'stale',
  });
  assert.ok(!existsSync(join(home.path, 'skills/ops')), 'the emptied category is gone');
  assert.match(home.get('skills/.archive/old/SKILL.md'), /About old/);
  assert.equal(home.get('skills/.archive/old/scripts/run.sh'), 'echo hi\n');
  const usage = JSON.parse(home.get('skills/.usage.json'));
  assert.deepEqual([usage.old.state, usage.resting.state, usage.fresh.state], ['archived', 'stale', 'active']);
  assert.equal(curator.backups()[0]?.reason, 'curator run');
  assert.ok(report.folder);
  assert.match(readFileSync(join(report.folder, 'REPORT.md'), 'utf8'), /old: active → archived \(91 days unused\)/);
  assert.equal(JSON.parse(readFileSync(join(report.folder, 'run.json'), 'utf8')).transitions.length, 2);
  assert.deepEqual(
    (await home.library().list()).map(({ name }) => name),
    ['fresh', 'resting'],
  );
});

test('pinned, hub-installed and user-written skills, and those nobody knows the age of, stay', async (t) => {
  const { home, curator } = setUp(t);
  aged(home, 'pinned', 400, { pinned: true });
  aged(home, 'mine', 400, { created_by: undefined });
  aged(home, 'from-hub', 400);
  aged(home, 'ageless', 400, { created_at: null, last_used_at: 'long ago' });
  aged(home, 'outer', 400);
  home.put('skills/dev/outer/inner/SKILL.md', skillText('inner', 'The user made it'));
  aged(home, 'twin', 400);
  home.put('skills/ops/twin/SKILL.md', skillText('twin', 'Another'));
  home.put('skills/.hub/lock.json', JSON.stringify({ installed: { 'from-hub': {} } }));
  const before = tree(home);
  const report = await curator.run({ signal });
  assert.deepEqual([report.checked, report.transitions], [0, []]);
  assert.deepEqual(tree(home), before);
  assert.deepEqual(curator.backups(), [], 'no snapshot where nothing changes');
});

test('a stale skill that was used is active again', async (t) => {
  const { home, curator } = setUp(t);
  aged(home, 'back', 1, { state: 'stale' });
  await curator.run({ signal });
  assert.equal(JSON.parse(home.get('skills/.usage.json')).back.state, 'active');
});

test('bundled skills age from when they were first seen, and a use begins it anew', async (t) => {
  const { home, curator, clock } = setUp(t);
  home.put('skills/.bundled_manifest', 'used:0\nunused:0\nplan:0\n');
  for (const name of ['used', 'unused', 'plan']) home.put(`skills/x/${name}/SKILL.md`, skillText(name, name));
  await curator.run({ signal });
  clock.now += 80 * day;
  await new SkillUsage(home.path, () => new Date(clock.now), noLog).count('used', 'view');
  clock.now += 11 * day;
  const { transitions } = await curator.run({ signal });
  assert.deepEqual(
    transitions.map(({ skill, to }) => [skill.name, to]),
    [['unused', 'archived']],
  );
  assert.equal(
    existsSync(join(home.path, 'skills/.usage.json')) && 'used' in JSON.parse(home.get('skills/.usage.json')),
    false,
  );
  const off = setUp(t, { pruneBuiltins: false });
  off.home.put('skills/.bundled_manifest', 'unused:0\n');
  off.home.put('skills/.bundled_use.json', JSON.stringify({ unused: '2020-01-01T00:00:00Z' }));
  off.home.put('skills/x/unused/SKILL.md', skillText('unused', 'unused'));
  assert.equal((await off.curator.run({ signal })).transitions.length, 0);
});

test('a dry run says what would be done and changes nothing', async (t) => {
  const { home, curator } = setUp(t);
  aged(home, 'old', 91);
  const before = tree(home);
  const report = await curator.run({ signal, dryRun: true });
  assert.deepEqual(
    report.transitions.map(({ to }) => to),
    ['archived'],
  );
  assert.deepEqual(tree(home), before);
  assert.ok(!existsSync(join(home.path, 'logs')));
  assert.equal(curator.state().lastRunAt, undefined);
});

test('the first look at a home only notes the time; later ones wait for the interval and for quiet', async (t) => {
  const { home, curator, clock } = setUp(t);
  aged(home, 'old', 91);
  assert.equal(await curator.tick(never, { signal }), undefined);
  assert.equal(JSON.parse(home.get('skills/.curator_state')).last_run_at, new Date(start).toISOString());
  clock.now += 6 * day;
  const unasked = (): Promise<never> =>
    Promise.reject(new Error('it is not time yet, so nobody need look at the store'));
  assert.equal(await curator.tick(unasked, { signal }), undefined);
  clock.now += 2 * day;
  assert.equal(await curator.tick(() => Promise.resolve(new Date(clock.now - 60_000)), { signal }), undefined);
  await curator.setPaused(true);
  assert.equal(await curator.tick(never, { signal }), undefined);
  await curator.setPaused(false);
  const report = await curator.tick(() => Promise.resolve(new Date(clock.now - 3 * 3_600_000)), { signal });
  assert.deepEqual(
    report?.transitions.map(({ to }) => to),
    ['archived'],
  );
  assert.equal(await curator.tick(never, { signal }), undefined);
  assert.equal(curator.state().runCount, 1);
});

test('of two processes that tick at the same time one runs', async (t) => {
  const { home, clock } = setUp(t);
  aged(home, 'old', 91);
  home.put('skills/.curator_state', JSON.stringify({ last_run_at: '2026-01-01T00:00:00Z', theirs: 1 }));
  const options = { homePath: home.path, settings: plain, now: () => new Date(clock.now) };
  const both = await Promise.all([1, 2].map(() => createCurator(options).tick(never, { signal })));
  assert.equal(both.filter((report) => report !== undefined).length, 1);
  assert.equal(JSON.parse(home.get('skills/.curator_state')).theirs, 1, 'unknown keys are kept');
});

test('an archived skill comes back to its place, and is not archived again at once', async (t) => {
  const { home, curator } = setUp(t);
  aged(home, 'old', 91, {}, 'ops/deep/');
  const before = home.get('skills/ops/deep/old/SKILL.md');
  await curator.run({ signal });
  assert.deepEqual(curator.archived(), ['old']);
  assert.equal(await curator.restore('old'), 'ops/deep/old');
  assert.equal(home.get('skills/ops/deep/old/SKILL.md'), before);
  assert.equal((await curator.run({ signal })).transitions.length, 0);
  for (const name of ['old', '../x', '', 'nothing']) await assert.rejects(curator.restore(name), UserError);
});

test('a name that the program or a hub has taken is not restored over', async (t) => {
  const { home, curator } = setUp(t);
  aged(home, 'old', 91);
  await curator.run({ signal });
  home.put('skills/new/old/SKILL.md', skillText('old', 'From the hub'));
  home.put('skills/.hub/lock.json', JSON.stringify({ installed: { old: {} } }));
  await assert.rejects(curator.restore('old'), /from a hub/);
  assert.deepEqual(curator.archived(), ['old']);
});

test('a place that an entry made up is not followed', async (t) => {
  const { home, curator } = setUp(t);
  aged(home, 'old', 91);
  await curator.run({ signal });
  const usage = JSON.parse(home.get('skills/.usage.json'));
  usage.old.archived_from = '../../evil/old';
  home.put('skills/.usage.json', JSON.stringify(usage));
  assert.equal(await curator.restore('old'), 'old');
});

test('pinning is for skills that are there and not of the program', async (t) => {
  const { home, curator } = setUp(t);
  aged(home, 'mine', 91);
  home.put('skills/.bundled_manifest', 'theirs:0\n');
  home.put('skills/x/theirs/SKILL.md', skillText('theirs', 'Bundled'));
  await curator.setPinned('mine', true);
  assert.equal((await curator.run({ signal })).transitions.length, 0);
  await assert.rejects(curator.archive('mine'), /pinned/);
  await curator.setPinned('mine', false);
  await curator.archive('mine');
  assert.deepEqual(curator.archived(), ['mine']);
  await assert.rejects(curator.setPinned('theirs', true), /came with the program/);
  await assert.rejects(curator.archive('theirs'), /came with the program/);
  await assert.rejects(curator.setPinned('nobody', true), /no skill 'nobody'/);
});

test('a rollback makes the tree what it was, and keeps what was there', async (t) => {
  const { home, curator, clock } = setUp(t);
  aged(home, 'old', 91);
  const long = `skills/dev/old/references/${'long-name-'.repeat(9)}${'x'.repeat(40)}.md`;
  home.put(long, 'long');
  home.put('skills/dev/old/references/über 日本.md', 'ümlaut');
  const before = tree(home);
  await curator.run({ signal });
  home.put('skills/later/new/SKILL.md', skillText('new', 'Later'));
  const between = tree(home);
  clock.now += day;
  const { restored, saved } = await curator.rollBack(undefined);
  assert.equal(restored.reason, 'curator run');
  assert.equal(saved.reason, `pre-rollback to ${restored.id}`);
  assert.deepEqual(tree(home), before);
  clock.now += day;
  await curator.rollBack(saved.id);
  assert.deepEqual(tree(home), between);
  await assert.rejects(curator.rollBack('nothing'), UserError);
});

test('only so many snapshots are kept, the newest ones', async (t) => {
  const { home, curator, clock } = setUp(t, { backup: { enabled: true, keep: 2 } });
  aged(home, 'one', 1);
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    ids.push((await curator.backup(`number ${count}`)).id);
    clock.now += count === 1 ? 0 : 5000;
  }
  assert.deepEqual(
    curator.backups().map(({ id }) => id),
    ids.slice(2).toReversed(),
  );
});

test('a damaged or hostile snapshot changes nothing', async (t) => {
  const { home, curator } = setUp(t);
  aged(home, 'one', 1);
  const { id } = await curator.backup('good');
  const path = join(home.path, 'skills/.curator_backups', id, 'skills.tar.gz');
  const before = tree(home);
  const good = readFileSync(path);
  for (const bytes of [Buffer.from('no'), good.subarray(0, good.length / 2), gzipSync(Buffer.alloc(700, 65))]) {
    writeFileSync(path, bytes);
    await assert.rejects(curator.rollBack(id), /snapshot could not be unpacked/);
    assert.deepEqual(tree(home), before);
  }
  assert.ok(!readdirSync(join(home.path, 'skills/.curator_backups')).some((name) => name.startsWith('.unpacking')));
});
