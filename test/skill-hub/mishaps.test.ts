/** When installing, renewing or removing does not work out: what is said, and that nothing is half done. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readLock, withHubLock } from '../../src/skill-hub/hub-files.ts';
import { installSkill } from '../../src/skill-hub/install.ts';
import { auditInstalled, checkInstalled, uninstallSkill, updateInstalled } from '../../src/skill-hub/installed.ts';
import { type HubPlace, openPlace, signal, skillText } from './place.ts';

const community = 'some/where/skills/foo';

async function withFoo(t: TestContext): Promise<HubPlace> {
  const place = await openPlace(t);
  place.github.push('some/where', { 'skills/foo/SKILL.md': skillText('foo'), 'skills/bar/SKILL.md': skillText('bar') });
  return place;
}

/** Nothing waits in the quarantine and no entry is half made. */
function assertSettled(place: HubPlace): void {
  const quarantine = place.inSkills('.hub/quarantine');
  assert.deepEqual(existsSync(quarantine) ? readdirSync(quarantine) : [], []);
  for (const entry of readLock(place.homePath).values()) assert.equal(entry.metadata['installing'], undefined);
}

test('a list of installed skills that cannot be read stops everything and is left for a person to look at', async (t) => {
  const place = await withFoo(t);
  await place.install(community);
  for (const broken of ['{"version": 1, "instal', '[]', '{"installed": {"foo": 7}}']) {
    writeFileSync(place.inSkills('.hub/lock.json'), broken);
    await assert.rejects(place.install('some/where/skills/bar'), /is not the list of installed skills/);
    await assert.rejects(uninstallSkill(place.homePath, 'foo'), /is not the list of installed skills/);
    await assert.rejects(checkInstalled(place.homePath, undefined, place.hub, signal), /is not the list/);
    assert.equal(place.hubFile('lock.json'), broken);
    assert.deepEqual(place.files(), ['foo/SKILL.md']);
    assert.deepEqual(readdirSync(place.inSkills('.hub/quarantine')), []);
  }
});

test('an installed skill is replaced on purpose only, and stays where it was put', async (t) => {
  const place = await withFoo(t);
  const first = await place.install(community, { category: 'dev' });
  place.github.push('some/where', { 'skills/foo/SKILL.md': skillText('foo', 'New.') });
  await assert.rejects(place.install(community), /installed already, from some\/where/);
  assert.match(readFileSync(place.inSkills('dev/foo/SKILL.md'), 'utf8'), /Do it well/);
  const later = { ...place.options, now: () => new Date('2026-02-28T09:00:00Z') };
  const fetched = await place.hub.fetch(community, signal);
  const { entry } = await installSkill(fetched, { force: true }, later);
  assert.deepEqual(
    [entry.install_path, entry.installed_at, entry.updated_at],
    ['dev/foo', first.entry.installed_at, '2026-02-28T09:00:00.000Z'],
  );
  assert.deepEqual(place.files(), ['dev/foo/SKILL.md']);
  await installSkill(fetched, { force: true, category: 'ops' }, later);
  assert.deepEqual(place.files(), ['ops/foo/SKILL.md'], 'another category moves it');
  assertSettled(place);
});

test('a skill whose folder is gone is installed again without force', async (t) => {
  const place = await withFoo(t);
  await place.install(community);
  rmSync(place.inSkills('foo'), { recursive: true });
  await place.install(community);
  assert.deepEqual(place.files(), ['foo/SKILL.md']);
});

test('what lies where the skill would go is not touched, a dangling link included', async (t) => {
  const place = await withFoo(t);
  mkdirSync(place.inSkills(''), { recursive: true });
  symlinkSync('nowhere', place.inSkills('foo'));
  await assert.rejects(place.install(community, { force: true }), /the hub did not install: .*foo/);
  rmSync(place.inSkills('foo'));
  writeFileSync(place.inSkills('foo'), 'a file');
  await assert.rejects(place.install(community, { force: true }), /the hub did not install/);
  assert.equal(readFileSync(place.inSkills('foo'), 'utf8'), 'a file');
  assert.equal(readLock(place.homePath).size, 0);
  assertSettled(place);
});

test('a skill without a usable name gets one from the person, or is refused with the way to give one', async (t) => {
  const place = await openPlace(t);
  place.github.push('some/where', { 'skills/foo/SKILL.md': skillText('Über alles!') });
  const fetched = await place.hub.fetch(community, signal);
  await assert.rejects(installSkill(fetched, {}, place.options), { hint: /--name/ });
  for (const typed of ['', undefined, '../x']) {
    const options = { ...place.options, askName: () => Promise.resolve(typed) };
    await assert.rejects(installSkill(fetched, {}, options), { name: 'UserError', exitCode: 2 });
  }
  assert.deepEqual(place.asked, [], 'nobody is asked to confirm what has no name');
  const { name } = await installSkill(fetched, {}, { ...place.options, askName: () => Promise.resolve('uber') });
  assert.deepEqual([name, place.files()], ['uber', ['uber/SKILL.md']]);
});

test('a question that fails leaves nothing behind', async (t) => {
  const place = await withFoo(t);
  const fetched = await place.hub.fetch(community, signal);
  const options = { ...place.options, confirm: () => Promise.reject(new Error('the terminal is gone')) };
  await assert.rejects(installSkill(fetched, {}, options), /terminal is gone/);
  assert.deepEqual(place.files(), []);
  assertSettled(place);
});

test('a no is noted, with what the guard said', async (t) => {
  const place = await withFoo(t);
  const fetched = await place.hub.fetch(community, signal);
  const options = { ...place.options, confirm: () => Promise.resolve(false) };
  await assert.rejects(installSkill(fetched, {}, options), /was not installed/);
  assert.match(place.hubFile('audit.log'), /^\S+Z DECLINED foo github:community safe$/m);
});

test('a source that does not answer fails for itself; the others are checked all the same', async (t) => {
  const place = await withFoo(t);
  await place.install(community);
  await place.install('some/where/skills/bar');
  place.github.push('some/where', { 'skills/bar/SKILL.md': skillText('bar', 'New.') });
  const [bar, foo] = await checkInstalled(place.homePath, undefined, place.hub, signal);
  assert.ok(bar !== undefined && foo !== undefined);
  assert.deepEqual([bar.state, foo.state], ['outdated', 'failed']);
  assert.match(foo.reason ?? '', /no skill at 'skills\/foo'/);
  await assert.rejects(updateInstalled(foo, place.options), /was not fetched/);
  assert.deepEqual(await updateInstalled(bar, place.options), { state: 'updated' });
  assert.deepEqual(place.files(), ['bar/SKILL.md', 'foo/SKILL.md']);
});

test('a check that is stopped says so in place of blaming the sources', async (t) => {
  const place = await withFoo(t);
  await place.install(community);
  const stopped = AbortSignal.abort(new Error('stopped'));
  await assert.rejects(checkInstalled(place.homePath, undefined, place.hub, stopped));
  await assert.rejects(checkInstalled(place.homePath, 'nobody', place.hub, signal), /not installed from the hub/);
});

test('a doubt that was accepted once is not asked for again by an update', async (t) => {
  const place = await openPlace(t);
  const doubtful = (more: string) => ({ 'skills/foo/SKILL.md': skillText('foo', `chmod 777 out\n${more}`) });
  place.github.push('some/where', doubtful('One.'));
  await place.install(community, { force: true });
  place.github.push('some/where', doubtful('Two.'));
  const [found] = await checkInstalled(place.homePath, 'foo', place.hub, signal);
  assert.ok(found);
  assert.equal((await updateInstalled(found, place.options)).state, 'updated');
  assert.match(readFileSync(place.inSkills('foo/SKILL.md'), 'utf8'), /Two/);
});

test('an entry of an older program has one hash for all files, and is audited by it', async (t) => {
  const place = await withFoo(t);
  await place.install(community);
  const lock = JSON.parse(place.hubFile('lock.json'));
  lock.installed.foo.metadata = {};
  writeFileSync(place.inSkills('.hub/lock.json'), JSON.stringify(lock));
  assert.deepEqual(auditInstalled(place.homePath, 'foo')[0]?.local, { missing: false, changed: [] });
  writeFileSync(place.inSkills('foo/SKILL.md'), skillText('foo', 'Edited.'));
  assert.deepEqual(auditInstalled(place.homePath, 'foo')[0]?.local, { missing: false, changed: ['(content)'] });
});

test('a skill that is gone from disk is missing for an audit, and can still be forgotten', async (t) => {
  const place = await withFoo(t);
  await place.install(community, { category: 'dev' });
  rmSync(place.inSkills('dev'), { recursive: true });
  const [audited] = auditInstalled(place.homePath, undefined);
  assert.deepEqual([audited?.local.missing, audited?.report], [true, undefined]);
  assert.match(place.hubFile('audit.log'), /AUDIT foo github:community missing$/m);
  await uninstallSkill(place.homePath, 'foo');
  assert.equal(readLock(place.homePath).size, 0);
});

test('uninstalling keeps the category that others live in', async (t) => {
  const place = await withFoo(t);
  await place.install(community, { category: 'dev' });
  await place.install('some/where/skills/bar', { category: 'dev' });
  await uninstallSkill(place.homePath, 'foo');
  assert.deepEqual(place.files(), ['dev/bar/SKILL.md']);
  assertSettled(place);
});

test('an entry that names the skills folder itself removes nothing', async (t) => {
  const place = await withFoo(t);
  await place.install(community);
  const lock = JSON.parse(place.hubFile('lock.json'));
  lock.installed.foo.install_path = '.';
  writeFileSync(place.inSkills('.hub/lock.json'), JSON.stringify(lock));
  await assert.rejects(uninstallSkill(place.homePath, 'foo'), /names no skill's folder/);
  assert.deepEqual(place.files(), ['foo/SKILL.md']);
});

test('whoever waits for another installation stops waiting when the signal says so', async (t) => {
  const place = await openPlace(t);
  await withHubLock(place.homePath, async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(
      withHubLock(place.homePath, () => 'done', stopped),
      /stopped/,
    );
  });
});

test('a log that has grown large is kept once beside the new one', async (t) => {
  const place = await withFoo(t);
  mkdirSync(place.inSkills('.hub'), { recursive: true });
  writeFileSync(place.inSkills('.hub/audit.log'), 'x'.repeat(1024 * 1024 + 1));
  await place.install(community);
  assert.match(place.hubFile('audit.log'), /^\S+Z INSTALL foo /);
  assert.equal(place.hubFile('audit.log.1').length, 1024 * 1024 + 1);
  assert.ok(existsSync(join(place.homePath, 'skills/.hub/audit.log.1')));
});
