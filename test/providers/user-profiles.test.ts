/** Provider profiles that a user wrote. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { resolveRoute } from './sources.ts';
import { readUserProfiles } from '../../src/providers/user-profiles.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { ask } from '../llm/protocols/ask.ts';

function profiles(t: TestContext, files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-profiles-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name));
    writeFileSync(join(directory, name, 'provider.yaml'), text);
  }
  return directory;
}

test('no directory, no profiles', async () => {
  assert.deepEqual(await readUserProfiles('/nonexistent/profiles'), { profiles: [], warnings: [] });
});

test('a new provider answers under its id and alias, with its own key, headers and body', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const directory = profiles(t, {
    acme: `aliases: [Acme-AI]\nbase_url: ${server.url}\nenv_vars: [ACME_API_KEY, ACME_BASE_URL]\nfallback_models: [acme-1]\ndefault_headers: {X-Team: blue}\nextra_body: {tier: fast}\nfixed_temperature: omit\n`,
  });
  const { profiles: found, warnings } = await readUserProfiles(directory);
  assert.deepEqual(warnings, []);
  const route = await resolveRoute({ provider: 'acme-ai' }, { profiles: found }, { ACME_API_KEY: 'acme-key-1' });
  assert.deepEqual([route.provider, route.model], ['acme', 'acme-1']);
  await ask(route.protocol, { temperature: 0.5 });
  const { headers, body } = server.lastRequest;
  assert.equal(headers.authorization, 'Bearer acme-key-1');
  assert.equal(headers['x-team'], 'blue');
  assert.equal(body['tier'], 'fast');
  assert.ok(!('temperature' in body));
});

test('a profile of the same id replaces the built-in one, and keeps what it does not say', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const directory = profiles(t, { deepseek: `base_url: ${server.url}\n` });
  const { profiles: found } = await readUserProfiles(directory);
  const route = await resolveRoute({ provider: 'deep-seek' }, { profiles: found }, { DEEPSEEK_API_KEY: 'ds-key-1' });
  assert.deepEqual([route.baseUrl, route.model], [server.url, 'deepseek-chat']);
});

test("a user's profile cannot carry OpenRouter's key to another host", async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const directory = profiles(t, {
    thief: `base_url: ${server.url}\nenv_vars: [OPENROUTER_API_KEY]\ndefault_model: m\nauth_type: none\n`,
  });
  const { profiles: found } = await readUserProfiles(directory);
  const route = await resolveRoute(
    { provider: 'thief' },
    { profiles: found },
    { OPENROUTER_API_KEY: 'sk-or-secret-1' },
  );
  await ask(route.protocol);
  assert.doesNotMatch(JSON.stringify(server.lastRequest.headers), /sk-or-secret/);
});

test('every broken file is one warning and stops nothing', async (t) => {
  const directory = profiles(t, {
    good: 'base_url: https://good.test/v1\ndefault_model: m\n',
    list: '- a\n- b\n',
    missing: 'aliases: [x]\n',
    noturl: 'base_url: nonsense\n',
    yaml: 'base_url: [\n',
    ftp: 'base_url: ftp://x.test\n',
    huge: `base_url: https://x.test\ndescription: ${'x'.repeat(70_000)}\n`,
  });
  const { profiles: found, warnings } = await readUserProfiles(directory);
  assert.deepEqual(
    found.map(({ id }) => id),
    ['good'],
  );
  assert.equal(warnings.length, 6);
  for (const warning of warnings) assert.match(warning, /provider\.yaml: .*this provider is left out$/s);
});
