/** What the redactor masks, and what it must leave alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { maskSecret } from '../../src/lib/secrets.ts';
import { createRedactor } from '../../src/safety/redact.ts';
import { assertGrowsLinearly } from '../growth.ts';

const redact = createRedactor({
  enabled: true,
  secretValues: ['hunter2-secret-value', 'p4ss word!', 'changeme', 'abc'],
});

test('secrets are masked', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['sk-abcdefghijklmnopqrstuvwx', 'sk-abc...uvwx'],
    ['TOKEN=short', 'TOKEN=***'],
    ['export MY_API_KEY="abcdefghijklmnopqrstuvwxyz"', 'export MY_API_KEY="abcdef...wxyz"'],
    ['DB_PASSWORD=hunter2', 'DB_PASSWORD=***'],
    ['x ghp_0123456789abcdefghijABCDEFGHIJ y', 'x ghp_01...GHIJ y'],
    ['github_pat_11ABCDEFG0123456789abc', 'github...9abc'],
    ['xoxb-123456789012-abcdefghij', 'xoxb-1...ghij'],
    ['AKIAIOSFODNN7EXAMPLE', 'AKIAIO...MPLE'],
    ['hf_abcdefghijklmnopqrst', 'hf_abc...qrst'],
    ['{"api_key": "abcdefghijklmnopqrstuvwxyz"}', '{"api_key": "abcdef...wxyz"}'],
    ['{"refresh_token":"x"}', '{"refresh_token":"***"}'],
    ['Authorization: Bearer abcdefghijklmnopqrstuvwxyz', 'Authorization: Bearer abcdef...wxyz'],
    ['bot 123456789:AAEhBP0av28abcdefghijklmnopqrstuvwx', 'bot 123456789:***'],
    ['postgres://ann:s3cret@db/x', 'postgres://ann:***@db/x'],
    ['mongodb+srv://a:b/c@h', 'mongodb+srv://a:***@h'],
    ['https://ann:pw@example.com/', 'https://ann:***@example.com/'],
    ['call +4915112345678 now', 'call +491****5678 now'],
    ['+12345678', '+1****78'],
    ['curl "https://x/?token=abc12345&y=1"', 'curl "https://x/?token=***&y=1"'],
    ['tool --password=abc12345', 'tool --password=***'],
    ['it is hunter2-secret-value.', 'it is hunter...alue.'],
    ['p4ss%20word! and p4ss word!', '*** and ***'],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nafter',
      '[REDACTED PRIVATE KEY]\nafter',
    ],
    [
      '     1|-----BEGIN PRIVATE KEY-----\n     2|MIIEvQ\n     3|abc\nafter it',
      '     1|[REDACTED PRIVATE KEY]\nafter it',
    ],
    [`${'Q'.repeat(64)}\n${'Q'.repeat(64)}\n-----END PRIVATE KEY-----\nafter`, '[REDACTED PRIVATE KEY]\nafter'],
  ];
  for (const [text, expected] of cases) assert.equal(redact(text), expected);
});

test('ordinary text and code stay as they are', () => {
  const ordinary = [
    'MAX_TOKENS=4096',
    'GIT_AUTHOR_NAME=Ann',
    'SSH_AUTH_SOCK=/tmp/ssh-1/agent.2',
    'API_KEY=$MY_KEY',
    'API_KEY=${MY_KEY}',
    'API_KEY=<your key>',
    'API_KEY = os.environ["X"]',
    'API_KEY=process.env.X',
    'call(token=token, password=password)',
    'npm_config_registry=https://registry.npmjs.org',
    'class="sk-fading-circle"',
    'if (a.token === b.token) return secret;',
    'bearer tokens are required',
    'a + 12345678 + 87654321',
    'x=1+12345678',
    '1700000000000',
    '@@ -1 +1 @@\n-12345678\n+12345679',
    '2026-11-21T10:00:00+0100',
    'changeme abc',
    'http://localhost:8080/a@b',
    'user@example.com',
    '"token": 5',
    'am_pm_format_string',
    'postgres://$USER:$PASS@host',
  ];
  for (const text of ordinary) assert.equal(redact(text), text);
});

test('switched off, nothing changes', () => {
  assert.equal(
    createRedactor({ enabled: false, secretValues: ['hunter2-secret-value'] })('TOKEN=x hunter2-secret-value'),
    'TOKEN=x hunter2-secret-value',
  );
});

test('a mask tells which secret it was only when the secret is long', () => {
  assert.equal(maskSecret('a'.repeat(17)), '***');
  assert.equal(maskSecret('abcdefghijklmnopqr'), 'abcdef...opqr');
});

const pieces = fc.array(
  fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      'sk-abcdefghijklmnopqrstuvwx',
      'SG.abcdefghijklmnop.qrstuvwx',
      'TOKEN=',
      'API_KEY=',
      '"',
      "'",
      '{"token":"',
      'Authorization: Bearer ',
      '123456789:',
      'AAEhBP0av28abcdefghijklmnopqrstuvwx',
      'postgres://a:',
      '@',
      '+4915112345678',
      '...',
      '***',
      ' ',
      '\n',
      '=',
      'hunter2-secret-value',
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      'QUJD'.repeat(16),
      'password=abc12345',
      '\\',
    ),
  ),
  { maxLength: 14 },
);

test('redacting twice changes nothing more', () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const once = redact(parts.join(''));
      assert.equal(redact(once), once);
    }),
    { numRuns: 3000 },
  );
});

test('a known secret never survives', () => {
  fc.assert(
    fc.property(pieces, pieces, (before, after) => {
      const text = `${before.join('')}hunter2-secret-value${after.join('')}`;
      assert.ok(!redact(text).includes('hunter2-secret-value'));
    }),
  );
});

test('masking takes linear time, whatever the text holds', () => {
  const seeds = [
    'a',
    'A_',
    '1',
    'sk-',
    '=',
    '://',
    '"token":"',
    'Bearer ',
    'TOKEN',
    'a_token',
    '+1',
    '-----BEGIN PRIVATE KEY-----',
    'x: API_KEY=abc "token": "x"\n',
  ];
  for (const seed of seeds) {
    assertGrowsLinearly((size) => void redact(seed.repeat(Math.ceil(size / seed.length))), 25_000, seed);
  }
});
