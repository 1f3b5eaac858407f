/** Changing settings: routing, what stays, what is refused, and surviving a kill. */
import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { setConfigValue, setConfigValues, unsetConfigValue, updateConfig } from '../../src/config/edit.ts';
import { loadConfig } from '../../src/config/load.ts';
import { UserError } from '../../src/lib/errors.ts';
import { migrateConfig } from '../../src/config/migrate.ts';
import { CONFIG_VERSION } from '../../src/config/schema.ts';
import { surviveKills } from './killed-editor.ts';
import { temporaryHome } from './temporary-home.ts';

function editor(t: TestContext, yaml?: string) {
  const place = temporaryHome(t);
  if (yaml !== undefined) place.write('config.yaml', yaml);
  const set = (key: string, value: string) => setConfigValue({ home: place.home, env: place.env, key, value });
  /** Without the version, which every new file gets. */
  const data = (): unknown => {
    const { _config_version: _, ...rest } = parse(place.read('config.yaml'));
    return rest;
  };
  return { ...place, set, data };
}

test('a new file says its version, so that nothing takes it for one from before there were versions', async (t) => {
  const { set, read } = editor(t);
  await set('display.skin', 'mono');
  assert.equal(read('config.yaml'), 'display:\n  skin: mono\n_config_version: 33\n');
});

test('a terminal key goes to the file and, for other programs, to .env', async (t) => {
  const { set, data, read } = editor(t);
  await set('terminal.backend', 'local');
  assert.deepEqual(data(), { terminal: { backend: 'local' } });
  assert.equal(read('.env'), 'TERMINAL_ENV=local\n');
  await set('terminal.modal_mode', 'managed');
  assert.deepEqual(data(), { terminal: { backend: 'local', modal_mode: 'managed' } });
  assert.equal(read('.env'), 'TERMINAL_ENV=local\nTERMINAL_MODAL_MODE=managed\n');
});

test('a key of a provider goes to .env only, privately, and is not shown', async (t) => {
  const { home, set, read } = editor(t);
  for (const name of ['OPENROUTER_API_KEY', 'openrouter_api_key']) {
    const result = await set(name, 'sk-x');
    assert.equal(result.key, 'OPENROUTER_API_KEY');
    assert.equal(result.shown, undefined);
  }
  assert.equal(read('.env'), 'OPENROUTER_API_KEY=sk-x\n');
  assert.equal(statSync(join(home.path, '.env')).mode & 0o777, 0o600);
  assert.ok(!existsSync(join(home.path, 'config.yaml')));
});

test('values take the type their key wants', async (t) => {
  const { set, data } = editor(t);
  await set('display.streaming', 'on');
  await set('a.b.c', '5');
  await set('a.b.ratio', '0.5');
  await set('a.b.word', 'five');
  await set('a.b.id', '123456789012345678901');
  await set('agent.system_prompt', 'yes');
  await set('agent.reasoning_effort', 'none');
  await set('display.tool_progress', 'off');
  await set('toolsets', 'web, file');
  assert.deepEqual(data(), {
    display: { streaming: true, tool_progress: 'off' },
    a: { b: { c: 5, ratio: 0.5, word: 'five', id: '123456789012345678901' } },
    agent: { system_prompt: 'yes', reasoning_effort: 'none' },
    toolsets: ['web', 'file'],
  });
});

test('text that an older YAML parser reads as something else stands in quotes, what stood there stays', async (t) => {
  const { set, data, read } = editor(t, 'display:\n  streaming: on\n');
  await set('approvals.mode', 'off');
  await set('notes.at', '12:30:00');
  await set('notes.count', '1_000');
  await set('notes.day', '2026-11-24');
  await set('notes.yes', '0777');
  await set('display.skin', 'yes');
  assert.match(read('config.yaml'), /^ {2}streaming: on\n {2}skin: "yes"$/m);
  assert.match(read('config.yaml'), /^ {2}mode: "off"$/m);
  assert.deepEqual(parse(read('config.yaml'), { version: '1.1' }), {
    ...parse(read('config.yaml')),
    display: { streaming: true, skin: 'yes' },
  });
  assert.deepEqual(data(), {
    display: { streaming: 'on', skin: 'yes' },
    approvals: { mode: 'off' },
    notes: { at: '12:30:00', count: '1_000', day: '2026-11-24', yes: '0777' },
  });
});

test('a value that its key cannot take is refused, and nothing is written', async (t) => {
  const { home, set } = editor(t);
  for (const [key, value, reason] of [
    ['display.tool_progress', 'x', /'x' is not one of off\|new\|all\|verbose/],
    ['terminal.backend', 'nosuch', /'nosuch' is not one of local\|docker/],
    ['terminal.timeout', 'abc', /'abc' is not a number/],
    ['agent.max_turns', '3.7', /3\.7 is not a whole number/],
    ['display.streaming', 'maybe', /'maybe' is not true or false/],
    ['limits.day_usd', '$5 or so', /is not a number/],
    ['limits.day_usd', '-5', /is less than 0/],
    ['display', 'on', /is not a map/],
    ['model', '5', /'5' is not the name of a model/],
  ] as const) {
    await assert.rejects(set(key, value), (error) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, reason);
      assert.match(error.message, /nothing was changed/);
      assert.equal(error.exitCode, 2);
      return true;
    });
  }
  assert.ok(!existsSync(join(home.path, 'config.yaml')));
  assert.ok(!existsSync(join(home.path, '.env')));
});

test('unset takes a key, the maps that are empty then, and its copy away', async (t) => {
  const { home, env, set, data, read } = editor(t, 'a: {b: {c: 1}, d: 2}\n');
  const unset = (key: string) => unsetConfigValue({ home, env, key });
  await set('terminal.backend', 'local');
  assert.equal(await unset('terminal.backend'), join(home.path, 'config.yaml'));
  assert.equal(read('.env'), '');
  await unset('a.b.c');
  assert.deepEqual(data(), { a: { d: 2 } });
  assert.equal(await unset('a.b.c'), undefined);
  await set('OPENROUTER_API_KEY', 'sk-x');
  assert.equal(await unset('openrouter_api_key'), join(home.path, '.env'));
  assert.equal(read('.env'), '');
});

test('setting the model sets its default, in every form the file may have', async (t) => {
  for (const yaml of [undefined, 'model: old\n', 'model: {default: old}\n']) {
    const { set, data } = editor(t, yaml);
    await set('model', 'new');
    assert.deepEqual(data(), { model: { default: 'new' } });
  }
});

test('the address goes under its own name, also when it is called as elsewhere, and is taken away under both', async (t) => {
  const { home, env, set, data } = editor(t, 'model: {default: m}\n');
  await set('model.api_base', 'http://h/v1');
  assert.deepEqual(data(), { model: { default: 'm', base_url: 'http://h/v1' } });
  await unsetConfigValue({ home, env, key: 'model.api_base' });
  assert.deepEqual(data(), { model: { default: 'm' } });
  const old = editor(t, 'model: {default: m, api_base: http://h}\n');
  await unsetConfigValue({ home: old.home, env: old.env, key: 'model.api_base' });
  assert.deepEqual(old.data(), { model: { default: 'm' } });
});

test('comments, order, placeholders and unknown keys stay', async (t) => {
  const yaml = '# mine\nzeta: 1 # odd\nmodel:\n  # which\n  default: a # now\n  api_key: ${MY_KEY}\nalpha: [1, 2]\n';
  const { home, set, read } = editor(t, yaml);
  await set('model.default', 'b');
  await set('model.provider', 'openrouter');
  assert.equal(
    read('config.yaml'),
    '# mine\nzeta: 1 # odd\nmodel:\n  # which\n  default: b # now\n  api_key: ${MY_KEY}\n  provider: openrouter\nalpha: [ 1, 2 ]\n',
  );
  assert.equal(statSync(join(home.path, 'config.yaml')).mode & 0o777, 0o600);
});

test('a duplicate key is changed where it counts, an alias without touching its source', async (t) => {
  const { set, ...place } = editor(t, 'a: &x {n: 1}\nb: *x\ntimezone: UTC\ntimezone: Europe/Berlin\n');
  await set('timezone', 'Asia/Kolkata');
  await set('b.n', '2');
  const { config, raw } = await loadConfig(place);
  assert.equal(config.timezone, 'Asia/Kolkata');
  assert.deepEqual([raw['a'], raw['b']], [{ n: 1 }, { n: 2 }]);
});

test('list items are reached by number, and what is in them is known', async (t) => {
  const { set, data } = editor(t, 'fallback_providers:\n  - {provider: a, model: m}\n');
  assert.equal((await set('fallback_providers.0.model', 'n')).unknown, false);
  assert.deepEqual(data(), { fallback_providers: [{ provider: 'a', model: 'n' }] });
  assert.equal((await set('fallback_providers.7.provider', 'b')).unknown, false);
  assert.equal((await set('skills.disabled', 'one,two')).unknown, false);
  assert.equal((await set('skills.disabled.1', 'three')).unknown, false);
  assert.deepEqual(data(), {
    fallback_providers: [{ provider: 'a', model: 'n' }, { provider: 'b' }],
    skills: { disabled: ['one', 'three'] },
  });
});

test('a file that does not parse is refused with its position and left alone', async (t) => {
  const { set, read } = editor(t, 'a: [\n');
  await assert.rejects(set('b', '1'), /Cannot edit .*config\.yaml:2:1/);
  assert.equal(read('config.yaml'), 'a: [\n');
});

test('pinned keys and variables are refused by name, their neighbours are not', async (t) => {
  const { managed, set, data } = editor(t);
  writeFileSync(join(managed, 'config.yaml'), 'model: {default: theirs}\n');
  writeFileSync(join(managed, '.env'), 'XAI_API_KEY=abcdefgh\n');
  const refusal = `it is managed by your administrator (${join(managed, 'config.yaml')}) and cannot be changed.`;
  for (const key of ['model', 'model.default', 'model.default.x']) {
    await assert.rejects(set(key, 'z'), (error: Error) => error.message.endsWith(refusal));
  }
  await assert.rejects(set('XAI_API_KEY', 'z'), /Cannot set 'XAI_API_KEY'/);
  await set('model.base_url', 'z');
  assert.deepEqual(data(), { model: { base_url: 'z' } });
});

test('a package-managed installation refuses every change', async (t) => {
  const { home, env, write, set } = editor(t);
  for (const word of ['1', 'true', 'nix']) {
    const managed = { home, env: { ...env, HERMES_MANAGED: word } };
    await assert.rejects(setConfigValue({ ...managed, key: 'x', value: 'y' }), /managed by a package manager/);
    await assert.rejects(updateConfig(managed, [{ path: ['x'], value: 1 }]), /managed by a package manager/);
  }
  write('.managed', '');
  await assert.rejects(set('x', 'y'), /managed by a package manager/);
  assert.ok(!existsSync(join(home.path, 'config.yaml')));
});

test('names the shell cannot carry and empty path parts are refused', async (t) => {
  const { set } = editor(t);
  await assert.rejects(set('BAD-NAME', '1'), /Invalid environment variable name/);
  await assert.rejects(set('BAD-NAME_API_KEY', '1'), /Invalid environment variable name/);
  await assert.rejects(set('a..b', '1'), /not a configuration key/);
});

test('several keys are written together, and none of them when one cannot be', async (t) => {
  const { home, env, read, write } = editor(t, 'agent: {max_turns: 5}\n');
  write('.env', 'A=1\n');
  const target = { home, env };
  const bad = new Map([
    ['terminal.timeout', '300'],
    ['agent.max_turns', 'many'],
  ]);
  await assert.rejects(setConfigValues(target, bad), /agent\.max_turns/);
  assert.deepEqual([read('config.yaml'), read('.env')], ['agent: {max_turns: 5}\n', 'A=1\n']);
  const good = new Map([
    ['terminal.timeout', '300'],
    ['agent.max_turns', '7'],
  ]);
  await setConfigValues(target, good);
  assert.deepEqual(parse(read('config.yaml')), { agent: { max_turns: 7 }, terminal: { timeout: 300 } });
  assert.equal(read('.env'), 'A=1\nTERMINAL_TIMEOUT=300\n');
});

test('a linked config.yaml stays a link', async (t) => {
  const { home, set } = editor(t);
  const elsewhere = join(home.root, 'dotfiles');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'hermes.yaml'), 'a: 1\n');
  symlinkSync(join(elsewhere, 'hermes.yaml'), join(home.path, 'config.yaml'));
  await set('b', '2');
  assert.ok(lstatSync(join(home.path, 'config.yaml')).isSymbolicLink());
});

test('migration writes the version, and changes nothing the user set', async (t) => {
  const yaml = 'agent: {max_turns: 5}\ndisplay: {skin: mono}\nmodel: kept\nodd: 1\n';
  const { home, env } = editor(t, yaml);
  const target = { home, env: { ...env, HERMES_REDACT_SECRETS: 'false' } };
  const before = await loadConfig(target);
  // What version 31 set once in every home that was there.
  const agent = { ...before.config.agent, verify_on_stop: false };
  const wanted: unknown = JSON.parse(JSON.stringify({ ...before.config, agent }));
  await migrateConfig(target, before);

  const after = await loadConfig(target);
  assert.equal(after.user.version, CONFIG_VERSION);
  assert.deepEqual(after.warnings, []);
  assert.deepEqual(JSON.parse(JSON.stringify(after.config)), wanted);
  assert.equal(after.raw['odd'], 1);
  assert.deepEqual(await migrateConfig(target, after), []);
});

test('killed at any moment, the file is always whole', async (t) => {
  await surviveKills(t, 3);
});
