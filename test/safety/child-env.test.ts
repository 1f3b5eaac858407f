/** What a command inherits from the agent's environment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownVariables, PLATFORM_KEYS, PROVIDER_KEYS, TOOL_KEYS } from '../../src/config/env-names.ts';
import { childEnvironment } from '../../src/safety/child-env.ts';
import { isPolicyVariable, secretValuesOf } from '../../src/safety/secret-variables.ts';

test('ordinary variables are inherited, credentials and settings of the agent are not', () => {
  const child = childEnvironment({
    PATH: '/bin',
    HOME: '/home/ann',
    LANG: 'C',
    SSH_AUTH_SOCK: '/tmp/a',
    GIT_AUTHOR_NAME: 'Ann',
    EDITOR: 'vi',
    HERMES_HOME: '/home/ann/.hermes',
    HERMES_WRITE_SAFE_ROOT: '/srv',
    EMAIL_FROM: 'a@b.c',
    UNSET: undefined,
    OPENROUTER_API_KEY: 'x',
    VIRTUAL_ENV: '/opt/venv',
    CONDA_PREFIX: '/opt/conda',
    OPENAI_BASE_URL: 'x',
    CLAUDE_CODE_OAUTH_TOKEN: 'x',
    GH_TOKEN: 'x',
    SUDO_PASSWORD: 'x',
    TELEGRAM_BOT_TOKEN: 'x',
    TELEGRAM_ALLOWED_USERS: 'x',
    MY_APP_API_KEY: 'x',
    DB_PASSWORD: 'x',
    npm_token: 'x',
    LLM_MODEL: 'x',
    API_SERVER_PORT: '1',
    HERMES_YOLO_MODE: '1',
    HERMES_REDACT_SECRETS: '0',
  });
  assert.deepEqual(Object.keys(child).sort(), [
    'EDITOR',
    'EMAIL_FROM',
    'GIT_AUTHOR_NAME',
    'HERMES_HOME',
    'HERMES_WRITE_SAFE_ROOT',
    'HOME',
    'LANG',
    'PATH',
    'SSH_AUTH_SOCK',
  ]);
});

test('passing through gives names back, but never what is the agent’s own', () => {
  const env = {
    MY_API_KEY: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    CLAUDE_CODE_OAUTH_TOKEN: 'c',
    GH_TOKEN: 'd',
    OPENROUTER_API_KEY: 'e',
    ANTHROPIC_BASE_URL: 'f',
    AUXILIARY_OF_A_PLUGIN_API_KEY: 'g',
    TELEGRAM_BOT_TOKEN: 'h',
    WEBHOOK_SECRET: 'i',
    API_SERVER_KEY: 'j',
    SUDO_PASSWORD: 'k',
    MODAL_TOKEN_SECRET: 'l',
    TAVILY_API_KEY: 'm',
    GOOGLE_APPLICATION_CREDENTIALS: 'n',
    HERMES_YOLO_MODE: '1',
  };
  assert.deepEqual(Object.keys(childEnvironment(env, { passthrough: Object.keys(env) })), [
    'MY_API_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'CLAUDE_CODE_OAUTH_TOKEN',
  ]);
});

test('the owner can force a variable, except a policy switch and what only this program has a use for', () => {
  const env = {
    _HERMES_FORCE_OPENAI_API_KEY: 'a',
    OPENAI_API_KEY: 'b',
    _HERMES_FORCE_HERMES_YOLO_MODE: '1',
    _HERMES_FORCE_AUXILIARY_VISION_API_KEY: 'c',
    _HERMES_FORCE_GATEWAY_RELAY_SECRET: 'd',
    _HERMES_FORCE_GATEWAY_RELAY_DELIVERY_KEY: 'e',
    _HERMES_FORCE_: 'x',
  };
  assert.deepEqual(childEnvironment(env), { OPENAI_API_KEY: 'a' });
});

test('every credential that the configuration knows is kept back', () => {
  const secret = (name: string): boolean => /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|_SID$|_URL$/.test(name);
  const names = [...PROVIDER_KEYS, ...TOOL_KEYS, ...PLATFORM_KEYS]
    .flatMap(([, ...keys]) => keys)
    .concat([...knownVariables()].filter(secret));
  const kept = Object.keys(childEnvironment(Object.fromEntries(names.map((name) => [name, 'x']))));
  assert.deepEqual(kept, []);
});

test('values are taken from secrets only', () => {
  const values = secretValuesOf({
    OPENAI_API_KEY: 'key-value',
    OPENAI_BASE_URL: 'http://x',
    TELEGRAM_ALLOWED_USERS: '12345678',
    DISCORD_BOT_TOKEN: 'token-value',
    MY_PASSWORD: 'pass-value',
    FAL_KEY: 'fal-value',
    PATH: '/bin',
    HERMES_LANGFUSE_SECRET_KEY: undefined,
  });
  assert.deepEqual(values.sort(), ['fal-value', 'key-value', 'pass-value', 'token-value']);
});

test('variables that decide what the agent may do are known', () => {
  for (const name of [
    'HERMES_YOLO_MODE',
    'hermes_yolo_mode',
    'HERMES_HOME',
    'TELEGRAM_ALLOW_ALL_USERS',
    'GATEWAY_ALLOWED_USERS',
  ]) {
    assert.ok(isPolicyVariable(name), name);
  }
  assert.ok(!isPolicyVariable('HERMES_LANGUAGE'));
});
