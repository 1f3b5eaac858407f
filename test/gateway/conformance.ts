/** What every chat platform keeps to, whatever is behind it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownVariables } from '../../src/config/env-names.ts';
import { missingPartOfVariable } from '../../src/config/not-in-build-variables.ts';
import { platformCatalogue } from '../../src/gateway/catalogue.ts';
import { PlatformError } from '../../src/gateway/platform/platform-error.ts';
import { type Check, checksOf, connectError, hello, nameOf, sendOk, signal } from './conformance-checks.ts';
import { receiving } from './conformance-receiving.ts';
import { sending } from './conformance-sending.ts';
import { until } from './fake-host.ts';
import type { PlatformUnderTest } from './fake-platform.ts';

/** Puts the whole suite under the name of the platform. */
export function conformance(under: PlatformUnderTest): void {
  const { platform } = under;
  const checks = checksOf(under);
  const { check, connected } = checks;
  receiving(platform.name, checks);
  sending(platform, checks);

  test(`${nameOf(under)}: it says by itself whether it is configured`, async () => {
    await using fake = await under.open();
    assert.equal(platform.read(fake.variables, fake.block).configured, true);
    assert.equal(platform.read({}, {}).configured, false);
    for (const { name, optional } of platform.requiredVariables)
      if (optional !== true) assert.equal(platform.read({ ...fake.variables, [name]: '' }, {}).configured, false, name);
    assert.match(platform.name, /^[a-z0-9_]+$/);
    assert.notEqual(platform.hint, '');
  });

  const inCatalogue = under.plugged === true ? { skip: 'it is of a plug-in' } : {};
  test(`${nameOf(under)}: it stands in the catalogue, and is found there by its variables`, inCatalogue, async () => {
    await using fake = await under.open();
    const entry = platformCatalogue.find(({ name }) => name === platform.name);
    assert.ok(entry !== undefined, 'one line in src/gateway/catalogue.ts');
    assert.equal((await entry.load()).platform, platform);
    assert.ok(
      entry.variables.some((name) => fake.variables[name] !== undefined),
      'one of its variables is enough to look closer',
    );
    const known = knownVariables();
    for (const name of [...entry.variables, ...platform.requiredVariables.map((variable) => variable.name)]) {
      assert.ok(known.has(name), `${name} is none of the names in src/config/env-names.ts`);
      const part = missingPartOfVariable(name);
      assert.equal(part, undefined, `src/config/not-in-build-variables.ts says that ${name} is not read`);
    }
  });

  check('nothing is asked before it connects', async ({ fake }) => {
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(fake.requests, 0);
  });

  check('what is refused for its key needs the operator, and is not tried again', async ({ fake, other }) => {
    const { host, adapter } = other({ wrong: true });
    const error = await connectError(adapter);
    assert.equal(error.retryable, false);
    for (const secret of fake.secrets) assert.ok(!error.message.includes(secret));
    const { requests } = fake;
    await until(async () => fake.requests === requests);
    assert.deepEqual(host.sleeps, []);
    assert.ok(requests <= 2, `${requests} requests`);
  });

  check(
    'who it is can be asked without connecting, and a wrong key is told',
    async ({ fake, host, adapter, other }) => {
      if (adapter.account === undefined) return;
      assert.notEqual(await adapter.account(signal()), '');
      const wrong = other({ wrong: true });
      await assert.rejects(wrong.adapter.account?.(signal()) ?? Promise.resolve(), { retryable: false });
      assert.deepEqual([host.accepted, host.locks, wrong.host.locks], [[], [], []]);
      for (const secret of fake.secrets) assert.ok(!(await adapter.account(signal())).includes(secret));
      await fake.stop();
      await assert.rejects(other({}).adapter.account?.(signal()) ?? Promise.resolve(), { retryable: true });
    },
  );

  check('a server that cannot be reached is tried again by whoever connects', async ({ fake, adapter }) => {
    await fake.stop();
    assert.equal((await connectError(adapter)).retryable, true);
    await fake.start();
  });

  check('a lock that somebody else holds is told, and nothing is asked', async ({ fake, host, adapter }) => {
    host.refuseLocks(new PlatformError('some-token_lock', 'held by process 1', { retryable: true }));
    assert.equal((await connectError(adapter)).code, 'some-token_lock');
    assert.equal(fake.requests, 0);
  });

  connected('after the end nothing is accepted, and ending twice does no harm', async ({ fake, host, adapter }) => {
    await adapter.disconnect();
    await adapter.disconnect();
    const { requests } = fake;
    await fake.write({ in: fake.places.dm, text: hello });
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(host.accepted, []);
    assert.equal(fake.requests, requests);
    assert.deepEqual(host.failures, []);
  });

  connected('what was written while nobody was there is accepted later', async ({ fake, adapter, other }) => {
    await adapter.disconnect();
    await fake.write({ in: fake.places.dm, text: 'while you were out' });
    const again = other({});
    await again.adapter.connect(signal());
    await until(() => again.host.accepted.length === 1);
    assert.equal(again.host.accepted[0]?.text, 'while you were out');
  });

  check('without a connection it can send', async ({ fake, adapter, host }) => {
    await sendOk(adapter, { to: fake.places.dm, text: hello });
    assert.equal(fake.shown(fake.places.dm).at(-1)?.text, hello);
    assert.deepEqual(host.locks, [], 'beside a gateway that is running');
  });

  connected('of a chat it knows the name; of none nothing', async ({ fake, adapter }) => {
    const info = await adapter.chatInfo(fake.places.group.chatId, signal());
    assert.ok(info !== undefined && info.name !== '' && info.type !== '');
    assert.equal(await adapter.chatInfo('-999999', signal()), undefined);
  });
  if (under.pushes !== true) connecting(connected);
}

/** For connections that the adapter keeps by itself. */
function connecting(connected: Check): void {
  connected('a connection that breaks is made again, later each time', async ({ fake, host }) => {
    await fake.stop();
    await until(() => host.sleeps.length >= 3);
    const [first = 0, second = 0, third = 0] = host.sleeps;
    assert.ok(first <= second && second <= third && first < third, host.sleeps.slice(0, 3).join(', '));
    await fake.start();
    await fake.write({ in: fake.places.dm, text: 'missed' });
    // It may have given up meanwhile: then it says so, and the gateway connects anew.
    await until(() => host.accepted.length === 1 || host.failures.length === 1);
    for (const { retryable } of host.failures) assert.equal(retryable, true);
    assert.ok(host.failures.length <= 1, 'told once');
  });

  connected('ending does not wait for the next attempt', async ({ fake, host, adapter }) => {
    host.holdClock();
    await fake.stop();
    await until(() => host.sleeps.length >= 1);
    await adapter.disconnect();
    const sleeps = host.sleeps.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(host.sleeps.length, sleeps);
    assert.deepEqual(host.failures, []);
    await fake.start();
  });
}
