/** The archive and the snapshots: nothing is lost on the way there or back, whatever stands in the way. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createCurator, type CuratorSettings } from '../../src/curator/curator.ts';
import { listBackups } from '../../src/curator/backups.ts';
import { makeHome, skillText } from '../skills/support.ts';

const { signal } = new AbortController();
/** Nobody has worked yet. */
const never = (): Promise<undefined> => Promise.resolve(undefined);
const settings: CuratorSettings = {
  enabled: true,
  intervalHours: 168,
  minIdleHours: 2,
  staleAfterDays: 30,
  archiveAfterDays: 90,
  pruneBuiltins: false,
  backup: { enabled: true, keep: 5 },
};
const now = new Date('2026-06-01T00:00:00Z');

/** A home in which the agent made these skills long ago: name → folder below `skills/`. */
function setUp(t: TestContext, skills: Readonly<Record<string, string>>) {
  const home = makeHome(t);
  const old = { created_by: 'agent', created_at: '2025-01-01T00:00:00Z' };
  for (const [name, folder] of Object.entries(skills)) home.put(`skills/${folder}/SKILL.md`, skillText(name, name));
  home.put('skills/.usage.json', JSON.stringify(Object.fromEntries(Object.keys(skills).map((name) => [name, old]))));
  const curator = createCurator({ homePath: home.path, settings, now: () => now });
  const inSkills = (path: string): string => join(home.path, 'skills', path);
  const usageOf = (name: string) => JSON.parse(home.get('skills/.usage.json'))[name];
  return { home, curator, inSkills, usageOf };
}

test('archiving takes an emptied category along and keeps one that others live in', async (t) => {
  const { curator, inSkills, usageOf } = setUp(t, { lone: 'a/b/lone', one: 'dev/one', two: 'dev/two' });
  await curator.archive('lone');
  await curator.archive('one');
  assert.deepEqual(curator.archived(), ['lone', 'one']);
  assert.deepEqual([existsSync(inSkills('a')), existsSync(inSkills('dev/two/SKILL.md'))], [false, true]);
  const { state, archived_at: at, archived_from: from } = usageOf('lone');
  assert.deepEqual([state, at, from], ['archived', '2026-06-01T00:00:00.000Z', 'a/b/lone']);
});

test('a skill is archived by its place too, and a second one of a name beside the first', async (t) => {
  const { home, curator } = setUp(t, { one: 'dev/one' });
  await curator.archive('dev/one');
  home.put('skills/ops/one/SKILL.md', skillText('one', 'Another'));
  await curator.archive('one');
  assert.deepEqual(curator.archived(), ['one', 'one-2']);
  assert.match(home.get('skills/.archive/one-2/SKILL.md'), /Another/);
});

test('one that cannot be archived is named in the report, and the others go', async (t) => {
  const { curator, home, inSkills } = setUp(t, { bad: 'bad', good: 'good' });
  writeFileSync(inSkills('.archive'), 'a file in the way');
  const { transitions, failed, folder } = await curator.run({ signal });
  assert.deepEqual([transitions, failed.map(({ name }) => name)], [[], ['bad', 'good']]);
  assert.match(failed[0]?.error ?? '', /EEXIST|ENOTDIR/);
  assert.ok(existsSync(inSkills('good/SKILL.md')));
  const report = JSON.parse(home.get(`${folder?.slice(home.path.length + 1)}/run.json`));
  assert.equal(report.failed.length, 2);
  rmSync(inSkills('.archive'));
  assert.equal((await curator.run({ signal })).transitions.length, 2);
});

test('a run that is stopped leaves the rest for the next one', async (t) => {
  const { curator, inSkills } = setUp(t, { one: 'one' });
  const { transitions } = await curator.run({ signal: AbortSignal.abort() });
  assert.deepEqual(transitions, []);
  assert.ok(existsSync(inSkills('one/SKILL.md')));
});

test('a skill is not restored over another one, nor into a place that was taken', async (t) => {
  const { home, curator, inSkills } = setUp(t, { one: 'dev/one' });
  await curator.archive('one');
  home.put('skills/ops/one/SKILL.md', skillText('one', 'Mine'));
  await assert.rejects(curator.restore('one'), /already stands at .*ops\/one/);
  rmSync(inSkills('ops'), { recursive: true });
  mkdirSync(inSkills('dev/one'), { recursive: true });
  await assert.rejects(curator.restore('one'), /already stands at .*dev\/one/);
  assert.deepEqual(curator.archived(), ['one']);
  rmSync(inSkills('dev'), { recursive: true });
  assert.equal(await curator.restore('one'), 'dev/one');
  assert.deepEqual(curator.archived(), []);
});

test('a skill in the archive that nothing is known of comes back to the top', async (t) => {
  const { home, curator, usageOf } = setUp(t, {});
  home.put('skills/.archive/lost/SKILL.md', skillText('lost', 'Lost'));
  assert.equal(await curator.restore('lost'), 'lost');
  const { state, last_used_at: used } = usageOf('lost');
  assert.deepEqual([state, used], ['active', '2026-06-01T00:00:00.000Z']);
});

test('a snapshot without its manifest is listed and can be gone back to', async (t) => {
  const { home, curator, inSkills } = setUp(t, { one: 'one' });
  const { id } = await curator.backup('by hand');
  rmSync(inSkills(`.curator_backups/${id}/manifest.json`));
  assert.deepEqual(listBackups(home.path), [{ id, reason: '', createdAt: '', bytes: 0 }]);
  rmSync(inSkills('one'), { recursive: true });
  await curator.rollBack(id);
  assert.match(home.get('skills/one/SKILL.md'), /name: one/);
});

test('folders that are no snapshots are not taken for one', async (t) => {
  const { home, curator } = setUp(t, {});
  home.put('skills/.curator_backups/notes/skills.tar.gz', 'x');
  mkdirSync(join(home.path, 'skills/.curator_backups/2026-01-01T00-00-00Z'));
  assert.deepEqual(curator.backups(), []);
  await assert.rejects(curator.rollBack(undefined), /no snapshot to go back to/);
  await assert.rejects(curator.rollBack('../../x'), /no snapshot '..\/..\/x'/);
});

test('skills that are too large for a snapshot stop a run before it changes anything', async (t) => {
  const { curator, inSkills } = setUp(t, { one: 'one' });
  writeFileSync(inSkills('one/model.bin'), '');
  truncateSync(inSkills('one/model.bin'), 257 * 1024 * 1024);
  await assert.rejects(curator.run({ signal }), { hint: /curator\.backup\.enabled false/ });
  assert.ok(existsSync(inSkills('one/SKILL.md')));
  assert.deepEqual(readdirSync(inSkills('.curator_backups')), []);
});

test('a rollback brings links back as links and leaves what snapshots leave out', async (t) => {
  const { home, curator, inSkills } = setUp(t, { one: 'one' });
  home.put('elsewhere/SKILL.md', skillText('linked', 'Linked'));
  symlinkSync(join(home.path, 'elsewhere'), inSkills('linked'));
  home.put('skills/.hub/lock.json', '{"installed": {}}');
  const { id } = await curator.backup('by hand');
  rmSync(inSkills('linked'));
  home.put('skills/.hub/lock.json', '{"installed": {"later": {}}}');
  await curator.rollBack(id);
  assert.match(home.get('skills/linked/SKILL.md'), /Linked/);
  assert.match(home.get('skills/.hub/lock.json'), /later/);
  assert.ok(existsSync(join(home.path, 'elsewhere/SKILL.md')), 'what a link leads to is not moved');
});

test('a state that is damaged is that of a fresh home', async (t) => {
  const { home, curator } = setUp(t, {});
  home.put('skills/.curator_state', '{"paused": tr');
  assert.deepEqual(curator.state(), { lastRunAt: undefined, paused: false, runCount: 0, lastSummary: '' });
  await curator.setPaused(true);
  assert.equal(curator.state().paused, true);
});

test('a paused curator does not run by itself', async (t) => {
  const { home, curator, inSkills } = setUp(t, { one: 'one' });
  home.put('skills/.curator_state', JSON.stringify({ paused: true, last_run_at: '2026-01-01T00:00:00Z' }));
  assert.equal(await curator.tick(never, { signal }), undefined);
  assert.ok(existsSync(inSkills('one/SKILL.md')));
  await curator.setPaused(false);
  assert.equal((await curator.tick(never, { signal }))?.transitions.length, 1);
});
