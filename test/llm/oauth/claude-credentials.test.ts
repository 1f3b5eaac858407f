/** The login of Anthropic's own program as a source of a token. */
import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readClaudeLogin } from '../../../src/llm/credentials/oauth/claude-credentials.ts';

const now = 1_800_000_000_000;

function fileWith(t: TestContext, text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'claude-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, '.credentials.json'), text);
  return join(directory, '.credentials.json');
}

function credentials(expiresAt: number | undefined): string {
  return JSON.stringify({
    claudeAiOauth: { accessToken: 'sk-ant-oat01-hidden', refreshToken: 'sk-ant-ort01-hidden', expiresAt, scopes: [] },
  });
}

test('a login that is good is used, without what would renew it, and the file stays as it is', async (t) => {
  const text = credentials(now + 3_600_000);
  const path = fileWith(t, text);
  assert.deepEqual(await readClaudeLogin(path, now), {
    kind: 'usable',
    tokens: { accessToken: 'sk-ant-oat01-hidden', expiresAt: now / 1000 + 3600 },
  });
  assert.equal(readFileSync(path, 'utf8'), text);
  assert.deepEqual(readdirSync(join(path, '..')), ['.credentials.json']);
});

test('a login without an end is used', async (t) => {
  const found = await readClaudeLogin(fileWith(t, `\uFEFF${credentials(undefined)}`), now);
  assert.deepEqual(found, { kind: 'usable', tokens: { accessToken: 'sk-ant-oat01-hidden' } });
});

test('a login that has expired, or is about to, is renewed by its own program: the message says how', async (t) => {
  for (const left of [-1, 59_000]) {
    const found = await readClaudeLogin(fileWith(t, credentials(now + left)), now);
    assert.equal(found?.kind, 'expired');
    const message = found?.kind === 'expired' ? found.message : '';
    assert.match(message, /Run `claude`.*or set ANTHROPIC_API_KEY/);
    assert.doesNotMatch(message, /hidden/);
  }
});

test('files without such a login are passed over', async (t) => {
  for (const text of [
    '',
    '{',
    '[]',
    '{"claudeAiOauth": null}',
    '{"claudeAiOauth": {"accessToken": ""}}',
    '{"mcpOAuth": {}}',
  ]) {
    assert.equal(await readClaudeLogin(fileWith(t, text), now), undefined, text);
  }
  assert.equal(await readClaudeLogin(join(tmpdir(), 'no-such-directory', '.credentials.json'), now), undefined);
});

test('what is no file is named', async (t) => {
  const directory = join(fileWith(t, ''), '..', 'directory');
  mkdirSync(directory);
  await assert.rejects(readClaudeLogin(directory, now), /cannot be read: it is no small file/);
});
