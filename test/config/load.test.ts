/** The effective configuration: layers, tolerance, old spellings, and where values come from. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { loadConfig, type LoadOptions } from '../../src/config/load.ts';
import type { JsonValue } from '../../src/lib/json.ts';
import { temporaryHome } from './temporary-home.ts';

async function load(
  t: TestContext,
  yaml: string | undefined,
  options: Partial<LoadOptions> & { managedYaml?: string } = {},
) {
  const place = temporaryHome(t);
  if (yaml !== undefined) place.write('config.yaml', yaml);
  if (options.managedYaml !== undefined) writeFileSync(join(place.managed, 'config.yaml'), options.managedYaml);
  const loaded = await loadConfig({ home: place.home, ...options, env: { ...place.env, ...options.env } });
  return { ...place, loaded, config: loaded.config };
}

test('without a file everything has its default and nothing is said', async (t) => {
  const { config, loaded } = await load(t, undefined);
  assert.deepEqual(loaded.warnings, []);
  assert.equal(loaded.user.state, 'absent');
  assert.equal(config.agent.max_turns, 90);
  assert.equal(config.terminal.backend, 'local');
  assert.equal(config.auxiliary.web_extract.timeout, 360);
  assert.equal(config.compression.threshold, 0.5);
  assert.equal(config.model.default, '');
  assert.deepEqual(config.toolsets, ['hermes-cli']);
  assert.equal(config.streaming.cursor, ' ▉');
});

test('every section builds, and its defaults satisfy its own schema', async (t) => {
  const { config } = await load(t, undefined);
  const copy: unknown = JSON.parse(JSON.stringify(config));
  const { loaded } = await load(t, JSON.stringify(copy));
  assert.deepEqual(loaded.warnings, []);
  assert.deepEqual(JSON.parse(JSON.stringify(loaded.config)), copy);
});

test('maps merge with the defaults, lists replace', async (t) => {
  const { config } = await load(
    t,
    'tts:\n  elevenlabs:\n    voice_id: mine\ndisplay:\n  runtime_footer:\n    fields: [cwd]\n',
  );
  assert.equal(config.tts.elevenlabs.voice_id, 'mine');
  assert.equal(config.tts.elevenlabs.model_id, 'eleven_multilingual_v2');
  assert.deepEqual(config.display.runtime_footer.fields, ['cwd']);
});

test('a bad value costs that value only and is named with what is used instead', async (t) => {
  const { config, loaded } = await load(
    t,
    'display:\n  tool_progress: x\n  skin: mono\nagent:\n  max_turns: many\n  verbose: yes\nprivacy: 5\n',
  );
  assert.deepEqual(loaded.warnings, [
    "config: display.tool_progress: 'x' is not one of off|new|all|verbose; using all",
    "config: agent.max_turns: 'many' is not a number; using 90",
    'config: privacy: 5 is not a map; using the default',
  ]);
  assert.equal(config.display.tool_progress, 'all');
  assert.equal(config.display.skin, 'mono');
  assert.equal(config.agent.verbose, true);
});

test('of a limit that cannot be read nothing is said to be used instead: nothing is sent until it can be', async (t) => {
  const { loaded } = await load(t, "limits: {day_usd: '$5'}\n");
  assert.deepEqual(loaded.warnings, [
    "config: limits.day_usd: '$5' is not a number; nothing is sent until it can be read",
  ]);
});

test('one bad entry of a list or map leaves the others alone', async (t) => {
  const { config, loaded } = await load(
    t,
    'fallback_providers: [{provider: a, model: m}, 7, {provider: b, model: [x]}]\nmcp_servers: {one: {command: x, timeout: soon}, two: nonsense}\n',
  );
  assert.deepEqual(
    config.fallback_providers.map((entry) => entry.provider),
    ['a', 'b'],
  );
  assert.equal(config.mcp_servers['one']?.timeout, 300);
  assert.equal(config.mcp_servers['two'], undefined);
  assert.equal(loaded.warnings.length, 4);
});

test('a warning never shows a secret', async (t) => {
  const { loaded } = await load(t, 'model:\n  api_key: [sk-very-secret]\n');
  assert.match(loaded.warnings.join(), /model\.api_key: the value is not text/);
  assert.doesNotMatch(loaded.warnings.join(), /sk-very/);
});

test('approvals.mode false means off and true means manual; a typo falls back to asking', async (t) => {
  assert.equal((await load(t, 'approvals: {mode: false}')).config.approvals.mode, 'off');
  assert.equal((await load(t, 'approvals: {mode: off}')).config.approvals.mode, 'off');
  assert.equal((await load(t, 'approvals: {mode: true}')).config.approvals.mode, 'manual');
  assert.equal((await load(t, 'approvals: {mode: offf}')).config.approvals.mode, 'manual');
});

test('numbers with documented bounds are clamped', async (t) => {
  const yaml =
    'delegation: {max_spawn_depth: 0}\nopenrouter: {response_cache_ttl: 0}\ncompression: {target_ratio: 2}\n';
  const { config, loaded } = await load(t, yaml);
  assert.equal(config.delegation.max_spawn_depth, 1);
  assert.equal(config.openrouter.response_cache_ttl, 1);
  assert.equal(config.compression.target_ratio, 0.8);
  assert.deepEqual(loaded.warnings, []);
});

test('a broken file is named with line and column, left as it is, and replaced by defaults', async (t) => {
  const yaml = 'model:\n  default: x\n bad: [\n';
  const { config, loaded, read } = await load(t, yaml);
  assert.match(loaded.warnings.join(), /config\.yaml:3:\d+: .*using defaults/);
  assert.equal(config.model.default, '');
  assert.equal(loaded.user.state, 'broken');
  assert.equal(read('config.yaml'), yaml);
});

test('whatever stands in the file, loading gives a whole configuration', async (t) => {
  const place = temporaryHome(t);
  const noise = fc.string({
    unit: fc.constantFrom('a', ':', ' ', '\n', '-', '[', '{', '&', '*', '"', '!', '\t', '?', '0'),
  });
  await fc.assert(
    fc.asyncProperty(noise, async (text) => {
      place.write('config.yaml', text);
      const { config } = await loadConfig(place);
      assert.equal(config.terminal.backend, 'local');
    }),
  );
});

test('any JSON value under any key yields a configuration of the right types', async (t) => {
  const place = temporaryHome(t);
  const { config } = await loadConfig(place);
  const sections = fc.constantFrom(...Object.keys(config));
  await fc.assert(
    fc.asyncProperty(sections, fc.jsonValue(), async (name, value) => {
      place.write('config.yaml', JSON.stringify({ [name]: value as JsonValue }));
      const loaded = await loadConfig(place);
      assert.equal(typeof loaded.config.agent.max_turns, 'number');
      assert.equal(typeof loaded.config.display.skin, 'string');
      assert.ok(Array.isArray(loaded.config.fallback_providers));
    }),
  );
});

test('with a duplicate key the last one counts and a warning names its line', async (t) => {
  const { config, loaded } = await load(t, 'timezone: UTC\ntimezone: Asia/Kolkata\n');
  assert.equal(config.timezone, 'Asia/Kolkata');
  assert.match(loaded.warnings.join(), /config\.yaml:2:1: key appears twice/);
});

test('an unknown time zone is a warning and means local time', async (t) => {
  const { config, loaded } = await load(t, 'timezone: Nope\n');
  assert.equal(config.timezone, '');
  assert.match(loaded.warnings.join(), /timezone: 'Nope' is not an IANA time zone/);
});

test('ids too long for a number keep all their digits', async (t) => {
  const { config } = await load(t, 'discord:\n  home_chat_id: 123456789012345678901\n');
  assert.equal(config.discord.home_chat_id, '123456789012345678901');
});

test('${VAR} is filled in at any depth; unset names, $VAR and keys stay', async (t) => {
  const yaml =
    'custom_providers:\n  - name: "${H}:${P}"\n    base_url: $H\nskills: {config: {"${H}": {list: ["a${H}b"]}}}\n';
  const { config } = await load(t, yaml, { env: { H: 'value' } });
  assert.equal(config.custom_providers[0]?.name, 'value:${P}');
  assert.equal(config.custom_providers[0]?.base_url, '$H');
  assert.deepEqual(config.skills.config, { '${H}': { list: ['avalueb'] } });
});

test('a filled-in number is read as a number', async (t) => {
  const { config } = await load(t, 'terminal: {timeout: "${T}"}', { env: { T: '7' } });
  assert.equal(config.terminal.timeout, 7);
});

test('the file beats TERMINAL_*, which beats the default', async (t) => {
  const env = { TERMINAL_TIMEOUT: '99', TERMINAL_ENV: 'docker', TERMINAL_DOCKER_VOLUMES: '["/a:/b","/c:/d"]' };
  const withKey = await load(t, 'terminal: {timeout: 5}', { env });
  assert.equal(withKey.config.terminal.timeout, 5);
  assert.equal(withKey.loaded.source('terminal.timeout'), 'file');
  const without = await load(t, 'display: {skin: mono}', { env });
  assert.equal(without.config.terminal.timeout, 99);
  assert.equal(without.config.terminal.backend, 'docker');
  assert.deepEqual(without.config.terminal.docker_volumes, ['/a:/b', '/c:/d']);
  assert.equal(without.loaded.source('terminal.timeout'), 'env');
  assert.equal(without.loaded.source('terminal.cwd'), 'default');
});

test('a malformed variable is a problem with its name, not a crash', async (t) => {
  const variables = { TERMINAL_TIMEOUT: '5m', TERMINAL_CONTAINER_CPU: '2 cores', HERMES_API_TIMEOUT: 'long' };
  const { config, loaded } = await load(t, undefined, { env: variables });
  assert.equal(config.terminal.timeout, 180);
  assert.deepEqual(
    loaded.problems.map(({ variable, message }) => `${variable}: ${message}`),
    [
      "HERMES_API_TIMEOUT: 'long' is not a number; the default is used",
      "TERMINAL_TIMEOUT: '5m' is not a number (write seconds: 300); no command runs until it is corrected, or removed from .env or the environment",
      "TERMINAL_CONTAINER_CPU: '2 cores' is not a number; no command runs until it is corrected, or removed from .env or the environment",
    ],
  );
  assert.deepEqual(loaded.warnings, []);
});

test('agent.coding_context takes every word for on and off, written as text, boolean or number', async (t) => {
  for (const [written, meant] of [
    ['false', 'off'],
    ['"no"', 'off'],
    ['"False"', 'off'],
    ['0', 'off'],
    ['"0"', 'off'],
    ['never', 'never'],
    ['true', 'on'],
    ['"yes"', 'on'],
    ['1', 'on'],
    ['FOCUS', 'focus'],
    ['""', 'auto'],
    ['sometimes', 'auto'],
  ]) {
    const { config } = await load(t, `agent: {coding_context: ${written}}`);
    assert.equal(config.agent.coding_context, meant, written);
  }
  const { config } = await load(t, 'approvals: {mode: "no"}');
  assert.equal(config.approvals.mode, 'manual', 'a word that loosens is not guessed');
});

test('override variables beat the file, and flags beat them', async (t) => {
  const env = { HERMES_INFERENCE_MODEL: 'from-env', HERMES_LANGUAGE: 'de', AUXILIARY_VISION_MODEL: 'v' };
  const { config } = await load(t, 'model: from-file\ndisplay: {language: fr}', { env });
  assert.equal(config.model.default, 'from-env');
  assert.equal(config.display.language, 'de');
  assert.equal(config.auxiliary.vision.model, 'v');
  const flagged = await load(t, 'model: from-file', { env, flags: { model: { default: 'from-flag' } } });
  assert.equal(flagged.config.model.default, 'from-flag');
});

test('what an administrator pins beats flags, variables and the file, leaf by leaf', async (t) => {
  const { config, loaded } = await load(t, 'model: {default: mine, provider: openrouter}', {
    managedYaml: 'model: {default: theirs}',
    env: { HERMES_INFERENCE_MODEL: 'env' },
    flags: { model: { default: 'flag' } },
  });
  assert.equal(config.model.default, 'theirs');
  assert.equal(config.model.provider, 'openrouter');
  assert.deepEqual(loaded.managed.keys, ['model.default']);
  assert.equal(loaded.source('model.default'), 'managed');
});

test('a malformed managed file is reported loudly and ignored', async (t) => {
  const { config, loaded } = await load(t, 'model: mine', { managedYaml: 'model: [' });
  assert.equal(config.model.default, 'mine');
  assert.match(loaded.warnings.join(), /MANAGED CONFIGURATION IGNORED: .*config\.yaml:1:/);
});

test('old spellings mean what they meant', async (t) => {
  const { config, loaded } = await load(
    t,
    [
      'model: some/model',
      'provider: openrouter',
      'max_turns: 12',
      'terminal: {env_type: docker}',
      'compression: {summary_model: m, summary_provider: p}',
      'fallback_model: {provider: a, model: b}',
      'display: {tool_progress_overrides: {telegram: off}}',
      'personalities: {pirate: Arr}',
      'platforms: {telegram: {enabled: true}}',
      'session_reset: {mode: never}',
    ].join('\n'),
  );
  assert.deepEqual(loaded.warnings, []);
  assert.equal(config.model.default, 'some/model');
  assert.equal(config.model.provider, 'openrouter');
  assert.equal(config.agent.max_turns, 12);
  assert.equal(config.terminal.backend, 'docker');
  assert.equal(config.auxiliary.compression.model, 'm');
  assert.equal(config.auxiliary.compression.provider, 'p');
  assert.deepEqual(config.fallback_providers, [{ provider: 'a', model: 'b' }]);
  assert.equal(config.display.platforms['telegram']?.tool_progress, 'off');
  assert.equal(config.agent.personalities['pirate'], 'Arr');
  assert.equal(config.gateway.platforms['telegram']?.enabled, true);
  assert.equal(config.session_reset.mode, 'none');
});

test('fallback_model beside fallback_providers does not count: the list wins', async (t) => {
  const old = 'fallback_model: {provider: a, model: b}\n';
  const both = await load(t, `${old}fallback_providers: [{provider: c, model: d}, {provider: e, model: f}]\n`);
  assert.deepEqual(
    both.config.fallback_providers.map(({ provider, model }) => [provider, model]),
    [
      ['c', 'd'],
      ['e', 'f'],
    ],
  );
  // An empty list says nothing.
  const { config } = await load(t, `${old}fallback_providers: []\n`);
  assert.deepEqual(config.fallback_providers, [{ provider: 'a', model: 'b' }]);
});

test('--ignore-user-config and its variable leave the file unread', async (t) => {
  const yaml = 'model: custom';
  assert.equal((await load(t, yaml, { ignoreUserConfig: true })).config.model.default, '');
  assert.equal((await load(t, yaml, { env: { HERMES_IGNORE_USER_CONFIG: 'YES' } })).config.model.default, '');
});

test('safe mode reads of the file what says which model answers, and nothing else', async (t) => {
  const yaml = 'model: {default: mine}\nagent: {max_turns: 7}\n';
  const { config } = await load(t, yaml, { env: { HERMES_SAFE_MODE: '1' } });
  assert.deepEqual([config.model.default, config.agent.max_turns], ['mine', 90]);
});

test('HERMES_YOLO_MODE=off does not enable yolo; YES does', async (t) => {
  assert.equal((await load(t, undefined, { env: { HERMES_YOLO_MODE: 'off' } })).loaded.process.yolo, false);
  assert.equal((await load(t, undefined, { env: { HERMES_YOLO_MODE: 'YES' } })).loaded.process.yolo, true);
});

test('unknown keys are kept, listed, and harmless', async (t) => {
  const { loaded } = await load(
    t,
    'zap: 1\ndisplay: {glow: 2, skin: mono}\nmcp_servers: {a: {odd: 3}}\n_config_version: 3\n',
  );
  assert.deepEqual(loaded.unknownKeys(), ['zap', 'display.glow']);
  assert.deepEqual(loaded.warnings, []);
  assert.deepEqual(loaded.raw['display'], { glow: 2, skin: 'mono' });
  assert.equal(loaded.user.version, 3);
});

test('where plug-ins are enabled a task of auxiliary that is not ours may be theirs', async (t) => {
  const { write, ...place } = temporaryHome(t);
  const tasks = 'auxiliary: {sift_mail: {model: x}, vision: {modle: x}}\n';
  write('config.yaml', tasks);
  assert.deepEqual((await loadConfig(place)).unknownKeys(), ['auxiliary.sift_mail', 'auxiliary.vision.modle']);
  write('config.yaml', `plugins: {enabled: [notes]}\n${tasks}`);
  assert.deepEqual((await loadConfig(place)).unknownKeys(), ['auxiliary.vision.modle']);
});

test('a newer version is loaded with one warning', async (t) => {
  const { config, loaded } = await load(t, '_config_version: 9999\nmodel: m\n');
  assert.equal(config.model.default, 'm');
  assert.match(loaded.warnings.join(), /version 9999, newer than this build knows/);
});
