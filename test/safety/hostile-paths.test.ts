/** Names under which somebody might try to reach what file tools keep out of, and those of everyday work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPathGuard } from '../../src/safety/paths.ts';
import {
  askedPaths as asked,
  everydayPaths as everyday,
  placesOfAnn as paths,
  refusedPaths as refused,
} from './corpora/paths.ts';

const guard = createPathGuard({ ...paths, workspace: '/home/ann/shop' });

test('no hostile name gets through: what the owner alone changes is refused, what runs later is asked about', () => {
  const through = [
    ...refused.filter((path) => guard.denyWrite(path) === undefined),
    ...asked.filter((path) => guard.denyWrite(path) === undefined && !guard.runsLater(path)),
  ];
  assert.deepEqual(through, []);
  assert.deepEqual(
    asked.filter((path) => guard.denyWrite(path) !== undefined),
    [],
    'a person may allow these',
  );
  assert.ok(refused.length + asked.length >= 150);
});

test('many paths judged at once are judged as each of them alone', () => {
  const projects = ['/home/ann/shop/.env', '/home/ann/shop/a/.ENV', '/home/ann/shop/.env.local', '/proc/self/environ'];
  const all = [...refused, ...asked, ...everyday, ...projects, '/x', 'relative', '/home/ann/.ssh/id_rsa.pub'];
  const alone = all.filter((path) => guard.denyRead(path) === undefined);
  assert.deepEqual([...guard.readable(all)], alone);
  assert.deepEqual([...guard.readableNames(all)], alone);
  assert.ok(alone.length < all.length);
});

test('no everyday name is refused or asked about', () => {
  const stopped = everyday.filter((path) => guard.denyWrite(path) !== undefined || guard.runsLater(path));
  assert.deepEqual(stopped, []);
  assert.ok(everyday.length >= 60);
});

test('work in the middle of packaged software is free where the session began there, and nothing around it', () => {
  const free: readonly (readonly [string, string])[] = [
    ['/opt/shop', '/opt/shop/lib/x.js'],
    ['/usr/src/app', '/usr/src/app/bin/x'],
    ['/usr/local/src/x', '/usr/local/src/x/etc/y'],
    ['/var/lib/hermes', '/var/lib/hermes/notes.md'],
  ];
  for (const [workspace, path] of free) {
    const there = createPathGuard({ ...paths, workspace });
    assert.equal(there.denyWrite(path), undefined, path);
    for (const other of ['/opt/other/x', '/usr/src/other', '/var/lib/dpkg/status', '/usr/bin/x', '/etc/hosts'])
      assert.ok(there.denyWrite(other), `${workspace}: ${other}`);
  }
  for (const workspace of [
    '/',
    '/usr',
    '/usr/local',
    '/usr/bin',
    '/usr/local/bin',
    '/opt',
    '/usr/lib/node',
    '/etc/nginx',
  ])
    for (const path of [`${workspace}/x`, '/usr/local/bin/x', '/etc/nginx/x'])
      if (path !== '//x') assert.ok(createPathGuard({ ...paths, workspace }).denyWrite(path), `${workspace}: ${path}`);
});

test('the home of a service among packaged software is still a home', () => {
  const service = createPathGuard({
    homePath: '/opt/data',
    root: '/opt/data',
    userHome: '/var/lib/hermes',
  });
  assert.equal(service.denyWrite('/opt/data/skills/x/SKILL.md'), undefined);
  assert.equal(service.denyWrite('/var/lib/hermes/notes.md'), undefined);
  for (const path of ['/opt/data/config.yaml', '/opt/data/.env', '/var/lib/hermes/.ssh/config', '/opt/x', '/var/lib/x'])
    assert.ok(service.denyWrite(path), path);
});
