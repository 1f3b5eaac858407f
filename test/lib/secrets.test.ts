/** What counts as a secret, as a placeholder and as the name of a secret, and what a mask gives away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  isMasked,
  isPlaceholder,
  isSecretName,
  issuedKey,
  maskKeys,
  maskSecret,
  usableSecret,
} from '../../src/lib/secrets.ts';
import { createRedactor } from '../../src/safety/redact.ts';

test('a mask never tells more than ten characters, and nothing of a short secret', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 200 }), (secret) => {
      const mask = maskSecret(secret);
      assert.ok(isMasked(mask));
      if (secret.length < 18) assert.equal(mask, '***');
      else assert.ok(mask.length === 13 && secret.startsWith(mask.slice(0, 6)) && secret.endsWith(mask.slice(-4)));
    }),
  );
});

test('placeholders are no keys, and keys are no placeholders', () => {
  for (const text of [
    '',
    'abc',
    '***',
    'xxxx',
    'XXXXXXXX',
    '....',
    'none',
    'NULL',
    'undefined',
    'changeme',
    'change-me',
    'placeholder',
    'your_api_key',
    'your-api-key-here',
    'YOUR_TOKEN_HERE',
    'your_key',
    'api_key',
    'insert-key-here',
    '<your key>',
    '${OPENAI_API_KEY}',
    ' dummy ',
  ]) {
    assert.ok(isPlaceholder(text), text);
    assert.equal(usableSecret(text), undefined);
  }
  assert.equal(usableSecret(undefined), undefined);
  for (const key of ['sk-1234567890', 'local', 'xoxb-1234', 'yourself', '$ecret'])
    assert.equal(usableSecret(` ${key} `), key);
});

test('names of secrets are known, and settings that speak of keys and tokens are not taken for them', () => {
  for (const name of [
    'OPENAI_API_KEY',
    'model.api_key',
    'GH_TOKEN',
    'DB_PASSWORD',
    'PGPASSWORD',
    'dashboard.basic_auth.password_hash',
    'providers.x.extra_headers',
    'AWS_SECRET_ACCESS_KEY',
    'OPENAI_API_KEYS',
    'APP_SECRET_BASE',
    'gateway.relay_secret',
  ]) {
    assert.ok(isSecretName(name), name);
  }
  for (const name of [
    'MAX_TOKENS',
    'model.max_tokens',
    'TOKEN_LIMIT',
    'agent.token_budget',
    'AWS_ACCESS_KEY_ID',
    'secrets.bitwarden.access_token_env',
    'GITHUB_APP_PRIVATE_KEY_PATH',
    'SSH_AUTH_SOCK',
    'GIT_AUTHOR_NAME',
    'TOKENIZERS_PARALLELISM',
    'keyboard.layout',
  ]) {
    assert.equal(isSecretName(name), false, name);
  }
});

/** A key as each issuer writes it. */
const keys: readonly string[] = [
  'sk-ant-api03-abcdefghij0123456789',
  'sk_0123456789abcdefgh',
  'ghp_0123456789abcdefghij',
  'ghr_0123456789abcdefghij',
  'github_pat_11ABCDEFG0123456789',
  'xapp-1-A0123456789-0123456789',
  'xoxb-123456789012-abcdefghij',
  'pplx-0123456789abcdefgh',
  'tvly-0123456789abcdefgh',
  'gsk_0123456789abcdefgh',
  'hf_abcdefghijklmnopqrst',
  'AKIAIOSFODNN7EXAMPLE',
  'AIzaSyA0123456789abcdefghijklmnopqrstu',
  'xai-0123456789abcdefghijklmnopqrstu',
  'fw_0123456789abcdefghijklmnopqrstu',
  'SG.abcdefghijklmnop.qrstuvwxyz',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123',
];

test('keys of every known issuer are masked wherever text is masked, whatever stands around them', () => {
  const redact = createRedactor({ enabled: true });
  const around = fc.constantFrom(' ', '\n', '"', "'", '(', ')', ',', ':', '/', '`', '<', '>');
  fc.assert(
    fc.property(fc.constantFrom(...keys), around, around, (key, before, after) => {
      const text = `a${before}${key}${after}b`;
      for (const masked of [redact(text), maskKeys(text), text.replace(issuedKey, maskSecret)]) {
        assert.ok(!masked.includes(key), `${masked} still holds ${key}`);
      }
    }),
  );
});

test('ordinary names that begin like a key stay', () => {
  for (const text of [
    'sk-fading-circle',
    'exa_search_results',
    'brv_database_name',
    'sk_buff_head_init',
    'fw-update-manager',
    'hsk-level-vocabulary',
    'mem0_client_library',
    'am_pm_format_string',
    'npm_config_registry',
    'eyJust.a.sentence',
  ]) {
    assert.equal(text.replace(issuedKey, '!'), text);
  }
});
