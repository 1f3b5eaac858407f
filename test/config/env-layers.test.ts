/** Variables that stand for configuration keys: which one counts, and how its text is read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fallbackLayer, isConfigVariable, overrideLayer } from '../../src/config/env-layers.ts';

test('a variable fills in what the file leaves open, and names itself as the origin', () => {
  const layer = fallbackLayer({ TERMINAL_ENV: 'docker', TERMINAL_TIMEOUT: '5' }, { terminal: { timeout: 9 } });
  assert.deepEqual(layer.values, { terminal: { backend: 'docker' } });
  assert.deepEqual([...layer.origins], [['terminal.backend', 'TERMINAL_ENV']]);
});

test('a key without a value in the file is open', () => {
  const layer = fallbackLayer({ TERMINAL_ENV: 'ssh' }, { terminal: { backend: null } });
  assert.deepEqual(layer.values, { terminal: { backend: 'ssh' } });
});

test('of two variables for one key the first that says something counts', () => {
  const both = { TERMINAL_CWD: '/a', MESSAGING_CWD: '/b' };
  assert.deepEqual(fallbackLayer(both, {}).values, { terminal: { cwd: '/a' } });
  assert.deepEqual(fallbackLayer({ ...both, TERMINAL_CWD: ' ' }, {}).values, { terminal: { cwd: '/b' } });
  const progress = { HERMES_TOOL_PROGRESS: 'off', HERMES_TOOL_PROGRESS_MODE: 'new' };
  assert.deepEqual(fallbackLayer(progress, {}).values, { display: { tool_progress: 'new' } });
});

test('lists and maps travel as JSON; what only looks like JSON stays text', () => {
  const { values } = fallbackLayer(
    { TERMINAL_DOCKER_VOLUMES: '["/a:/b"]', TERMINAL_DOCKER_ENV: ' {"A":"1"}', TERMINAL_CWD: '[odd] folder' },
    {},
  );
  assert.deepEqual(values, {
    terminal: { docker_volumes: ['/a:/b'], docker_env: { A: '1' }, cwd: '[odd] folder' },
  });
});

test('folders travel in one text, as in PATH', () => {
  const { values } = fallbackLayer({ HERMES_MEDIA_ALLOW_DIRS: '/srv/reports:: ~/a, b' }, {});
  assert.deepEqual(values, { gateway: { media_delivery_allow_dirs: ['/srv/reports', '~/a, b'] } });
  const file = { gateway: { media_delivery_allow_dirs: ['/srv'] } };
  assert.deepEqual(fallbackLayer({ HERMES_MEDIA_ALLOW_DIRS: '/etc' }, file).values, {});
});

test('a variable that forbids turns its key off, and a word it does not know forbids too', () => {
  const lazy = (text: string) => fallbackLayer({ HERMES_DISABLE_LAZY_INSTALLS: text }, {}).values;
  assert.deepEqual(lazy('yes'), { security: { allow_lazy_installs: false } });
  assert.deepEqual(lazy('0'), { security: { allow_lazy_installs: true } });
  assert.deepEqual(lazy('please'), { security: { allow_lazy_installs: false } });
});

test('variables that beat the file need not look at it, and empty ones say nothing', () => {
  const layer = overrideLayer({ HERMES_INFERENCE_MODEL: 'm', HERMES_LANGUAGE: '', AUXILIARY_VISION_API_KEY: 'k' });
  assert.deepEqual(layer.values, { model: { default: 'm' }, auxiliary: { vision: { api_key: 'k' } } });
});

test('the password of sudo may be the empty one', () => {
  assert.deepEqual(fallbackLayer({ SUDO_PASSWORD: '' }, {}).values, { terminal: { sudo_password: '' } });
  assert.deepEqual(fallbackLayer({}, {}).values, {});
});

test('every variable that stands for a key is known as one', () => {
  for (const name of ['TERMINAL_ENV', 'SUDO_PASSWORD', 'HERMES_TIMEZONE', 'AUXILIARY_APPROVAL_MODEL']) {
    assert.ok(isConfigVariable(name), name);
  }
  assert.equal(isConfigVariable('HERMES_YOLO_MODE'), false);
});
