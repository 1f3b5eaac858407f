/** When commands go to Modal through the tool gateway, and what never goes along. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Config } from '../../../src/config/schema.ts';
import { openRemoteBackend } from '../../../src/runtime/backends/catalogue.ts';
import { modalWay } from '../../../src/runtime/backends/modal-way.ts';
import { toolGateway } from '../../../src/runtime/tool-gateway.ts';
import { startModalGateway } from '../../fakes/modal-gateway.ts';
import {
  type HomeOptions,
  homeWith,
  noSubscription,
  patience,
  subscribed,
  tokenWith,
  toPortal,
} from './gateway-home.ts';

const ownToken = { MODAL_TOKEN_ID: 'ak-1', MODAL_TOKEN_SECRET: 'as-1' };
const modes: readonly Config['terminal']['modal_mode'][] = ['auto', 'direct', 'managed'];

/** For `auto`, `direct` and `managed`. */
async function waysOf(t: TestContext, options: HomeOptions, bringsCredentials = false): Promise<readonly string[]> {
  const { parts } = await homeWith(t, options);
  const facts = { env: parts.env, gateway: toolGateway(parts), bringsCredentials };
  return modes.map((mode) => modalWay(mode, facts).kind);
}

test('the gateway is taken where the subscription includes it, and only where the mode lets it', async (t) => {
  assert.deepEqual(await waysOf(t, { claims: subscribed }), ['gateway', 'none', 'gateway']);
  assert.deepEqual(await waysOf(t, { claims: subscribed, env: ownToken }), ['gateway', 'direct', 'gateway']);
  const modalAlone = { tool_access: { enabled: true, coverage: { modal: true } } };
  assert.deepEqual(await waysOf(t, { claims: modalAlone }), ['gateway', 'none', 'gateway']);
  const others = { tool_access: { enabled: true, coverage: { fal: true } } };
  assert.deepEqual(await waysOf(t, { claims: others, env: ownToken }), ['direct', 'direct', 'gateway']);
  assert.deepEqual(await waysOf(t, { env: ownToken }), ['direct', 'direct', 'none']);
  assert.deepEqual(await waysOf(t, {}), ['none', 'none', 'none']);
});

test('credential files go with a token of the owner alone', async (t) => {
  const both = { claims: subscribed, env: ownToken };
  assert.deepEqual(await waysOf(t, both, true), ['direct', 'direct', 'gateway']);
  const config = { terminal: { backend: 'modal', credential_files: ['token.json'] } };
  const { parts, server } = await homeWith(t, { claims: subscribed, config });
  writeFileSync(join(parts.home.path, 'token.json'), 'secret');
  const { environment } = openRemoteBackend('modal', { ...parts, cwd: parts.home.path });
  await assert.rejects(
    environment.run('true', { timeoutMs: 60_000, signal: patience() }),
    /Credential files \(token\.json\) do not go to a sandbox of the tool gateway, so no command runs there/,
  );
  assert.deepEqual(server.requests, []);
});

test('a subscription that has ended is told with the portal, and the token goes nowhere else', async (t) => {
  const routes = { 'POST /MODAL/v1/sandboxes': noSubscription };
  const config = { terminal: { backend: 'modal' } };
  const { parts, server, masked } = await homeWith(t, { claims: subscribed, env: ownToken, config, routes });
  const { environment } = openRemoteBackend('modal', { ...parts, cwd: parts.home.path });
  await assert.rejects(environment.run('true', { timeoutMs: 60_000, signal: patience() }), toPortal);
  const token = tokenWith(subscribed);
  assert.deepEqual([...new Set(masked)], [token]);
  assert.deepEqual(
    server.requests.map(({ path, headers }) => [path, headers['authorization']]),
    [['/MODAL/v1/sandboxes', `Bearer ${token}`]],
  );
});

test('commands run there with skills and without keys, and a file that a skill asks for later is refused', async (t) => {
  const config = {
    terminal: { backend: 'modal', modal_mode: 'managed', env_passthrough: ['PASSED', 'MODAL_TOKEN_ID'] },
  };
  const env = { ...ownToken, PASSED: 'yes' };
  const { parts, token } = await homeWith(t, { claims: subscribed, config, env });
  const gateway = await startModalGateway(t, parts.home.path);
  gateway.token = token;
  writeFileSync(join(parts.home.path, 'login.json'), 'secret');
  const own = { ...parts, env: { ...parts.env, MODAL_GATEWAY_URL: gateway.url }, cwd: parts.home.path };
  const { environment, shareFiles, insideContainer } = openRemoteBackend('modal', own);
  t.after(() => environment.close());
  const run = async (command: string) => await environment.run(command, { timeoutMs: 60_000, signal: patience() });
  assert.equal(insideContainer, true);
  assert.equal((await run('echo "$PASSED"; env | grep -c "ak-1\\|as-1"')).output, 'yes\n0\n');
  assert.equal(gateway.sandboxes[0]?.made.logicalKey, 'default');
  shareFiles([join(parts.home.path, 'login.json')]);
  await assert.rejects(run('true'), /Credential files \(login\.json\) do not go/);
});
