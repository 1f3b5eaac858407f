/** The curator by itself: at the start of sessions, when nobody is at work. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import { tickCurator } from '../../../src/runtime/learning/tick-curator.ts';
import { manualClock, temporaryStore, user } from '../../sessions/support.ts';
import { makeHome, skillText } from '../../skills/support.ts';

const { signal } = new AbortController();
const hour = 3_600_000;

test('a week after the first look, and hours after the last message, unused skills go; the user hears of it', async (t) => {
  const home = makeHome(t);
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const place = { path: home.path, root: home.path, profile: 'default' };
  const config = await loadConfig({ home: place, env: {} });
  const tick = async () =>
    await tickCurator(
      { home: place, env: {}, config, cwd: home.path, store, now: () => new Date(clock.now()) },
      signal,
    );
  home.put('skills/old/SKILL.md', skillText('old', 'Old'));
  home.put('skills/.usage.json', JSON.stringify({ old: { created_by: 'agent', created_at: '2025-01-01T00:00:00Z' } }));
  await store.sessions.create({ id: 'a', source: 'cli' });
  assert.equal(await tick(), undefined);
  clock.advance(169 * hour);
  await store.messages.append('a', user('hi'));
  clock.advance(hour);
  assert.equal(await tick(), undefined, 'somebody worked an hour ago');
  clock.advance(2 * hour);
  assert.equal(await tick(), '🧹 1 unused skill archived; see: hermes curator status');
  assert.ok(existsSync(join(home.path, 'skills/.archive/old/SKILL.md')));
});

test('switched off it does nothing, and a broken home is no error', async (t) => {
  const home = makeHome(t);
  home.put('config.yaml', 'curator:\n  enabled: false\n');
  const place = { path: home.path, root: home.path, profile: 'default' };
  const off = await loadConfig({ home: place, env: {} });
  assert.equal(
    await tickCurator({ home: place, env: {}, config: off, cwd: home.path, store: undefined }, signal),
    undefined,
  );
  assert.ok(!existsSync(join(home.path, 'skills')));
  home.put('config.yaml', '');
  home.put('skills', 'a file');
  const on = await loadConfig({ home: place, env: {} });
  assert.equal(
    await tickCurator({ home: place, env: {}, config: on, cwd: home.path, store: undefined }, signal),
    undefined,
  );
});
