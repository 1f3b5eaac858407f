/** A config.yaml of the original: no key of it is ignored in silence, and none is complained about. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stringify } from 'yaml';
import * as z from 'zod';
import { loadConfig } from '../../src/config/load.ts';
import { nearestKey } from '../../src/config/near-miss.ts';
import { missingKeys, missingPartOf } from '../../src/config/not-in-build.ts';
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

test('each side task has the time that it has there', async (t) => {
  const { config } = await loadConfig(temporaryHome(t));
  const tasks = z.record(z.string(), z.unknown()).parse(config.auxiliary);
  for (const [task, settings] of Object.entries(tasks)) {
    const parsed = z.object({ timeout: z.number() }).safeParse(settings);
    const theirs = defaults[`auxiliary.${task}.timeout`];
    if (parsed.success && theirs !== undefined) assert.equal(parsed.data.timeout, theirs, task);
  }
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
  assert.equal(missingPartOf('cron.chronos.portal_url'), 'other schedulers');
  assert.equal(missingPartOf('auxiliary.monitor.reasoning_effort'), 'the watch over scheduled jobs');
  assert.equal(missingPartOf('auxiliary.compression.reasoning_effort'), undefined);
});

/** Names that stand in the sources for another reason: fields on the wire, toolsets, and reports about what is set. */
const coincidences: ReadonlySet<string> = new Set([
  'service_tier',
  'reasoning_effort',
  'x_search',
  'web_extract',
  'image_gen',
  'video_gen',
  'cron_mode',
  'docker_image',
  // A tool of the original that others would name.
  'web_extract',
  // Packages of servers are asked about, which nothing starts yet.
  'mcp_servers',
  // Boards of tasks have one in a file of their own.
  'default_workdir',
  // The bound is prepared for a tool that is not there yet.
  'delegation',
]);

test('no key that is said to have no effect is read by the sources', () => {
  const source = new URL('../../src/', import.meta.url).pathname;
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => name.endsWith('.ts') && !name.startsWith('config/'))
    .map((name) => readFileSync(join(source, name), 'utf8'));
  const all = new Set(texts.flatMap((text) => text.match(/(?<![\w'"/-])[a-z]+(?:_[a-z0-9]+)+\b/g) ?? []));
  const names = missingKeys.flatMap(({ keys }) => keys.split(/\s+/)).map((key) => key.split('.').at(-1) ?? '');
  // Short names are words of the language too; nothing can be said about them.
  const stale = names.filter((name) => name.includes('_') && all.has(name) && !coincidences.has(name));
  assert.deepEqual(stale, []);
  const whole = missingKeys.flatMap(({ keys }) => keys.split(/\s+/)).filter((key) => /^[a-z]+$/.test(key));
  const taken = (key: string) => new RegExp(`onfig\\.${key}\\b|\\{[^{}=]*\\b${key}\\b[^{}=]*\\} = [\\w.]*onfig;`);
  assert.deepEqual(
    whole.filter((key) => !coincidences.has(key) && texts.some((text) => taken(key).test(text))),
    [],
  );
});
