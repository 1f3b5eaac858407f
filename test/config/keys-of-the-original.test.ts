/** A config.yaml of the original: no key of it is ignored in silence, and none is complained about. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { stringify } from 'yaml';
import * as z from 'zod';
import { loadConfig } from '../../src/config/load.ts';
import { nearestKey } from '../../src/config/near-miss.ts';
import { missingPartOf } from '../../src/config/not-in-build.ts';
import { setAt } from '../../src/config/values.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { temporaryHome } from './temporary-home.ts';

const { defaults } = z
  .object({ defaults: z.record(z.string(), z.json()) })
  .parse(JSON.parse(readFileSync(new URL('defaults-0.19.json', import.meta.url), 'utf8')));

test('every key of it is read, or told as not in this build', async (t) => {
  const tree: JsonObject = {};
  for (const [key, value] of Object.entries(defaults)) setAt(tree, key.split('.'), value);
  const place = temporaryHome(t);
  place.write('config.yaml', stringify(tree));
  const loaded = await loadConfig(place);
  assert.deepEqual(loaded.warnings, [], 'its default configuration loads without a word');
  assert.deepEqual(loaded.unknownKeys(), []);
  const told = new Set(loaded.unbuiltKeys().map(({ key }) => key));
  assert.ok(told.has('cron.provider') && !told.has('updates.pre_update_backup'));
  assert.ok(!told.has('agent.max_turns') && !told.has('terminal.timeout'));
});

test('a key that nobody knows is unknown, and the one that was meant is found', async (t) => {
  const place = temporaryHome(t);
  place.write('config.yaml', 'model: {defualt: m}\ndispaly: {streaming: true}\nagent: {api_retries: 1}\n_mine: 1\n');
  const loaded = await loadConfig(place);
  assert.deepEqual(loaded.unknownKeys(), ['model.defualt', 'dispaly', 'agent.api_retries']);
  for (const [typed, meant] of [
    ['model.defualt', 'model.default'],
    ['dispaly', 'display'],
    ['dispaly.streeming', 'display.streaming'],
    ['terminl.backend', 'terminal.backend'],
    ['max_turns', 'agent.max_turns'],
    ['xyzzy.plugh', undefined],
  ] as const) {
    assert.equal(nearestKey(typed), meant, typed);
  }
});

test('a part of the original that is missing is named for all keys below it', () => {
  assert.equal(missingPartOf('cron.chronos.portal_url'), 'scheduled jobs');
  assert.equal(missingPartOf('auxiliary.vision.reasoning_effort'), 'this setting of side tasks');
  assert.equal(missingPartOf('auxiliary.vision.model'), undefined);
});
