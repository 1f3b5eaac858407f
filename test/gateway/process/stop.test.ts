/** What the command line says of a gateway that runs, and how it ends it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hermes, ok } from '../../cli/hermes-process.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { textOf } from '../../runtime/support.ts';
import { gatewayPlace, until } from './support.ts';

// No systemd answers here, whatever this machine has.
const env = { PATH: '/nowhere' };

test('status and list show a gateway that was started by hand, and stop ends it as asked', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model);
  const gateway = place.run();
  await place.inState(gateway, 'running');
  const shown = ok(await hermes(place, ['gateway', 'status'], { env })).stdout;
  assert.match(shown, new RegExp(`runs \\(pid ${gateway.child.pid}\\): running\\.\ntelegram: connected`));
  assert.match(ok(await hermes(place, ['gateway', 'list'], { env })).stdout, /^default {2}running \(pid \d+\)$/m);
  assert.match(
    ok(await hermes(place, ['status'], { env })).stdout,
    /Gateway\n {2}✓ The gateway of profile default runs/,
  );
  const refused = await hermes(place, ['gateway', 'restart'], { env });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /systemd|by hand/);
  ok(await hermes(place, ['gateway', 'stop'], { env }));
  assert.equal((await gateway.ended).code, 0);
  assert.equal(place.state()?.gateway_state, 'stopped');
  assert.match(
    ok(await hermes(place, ['gateway', 'status'], { env })).stdout,
    /does not run \(last end: it was stopped\)/,
  );
});

test('a gateway that ends takes no message while a job still runs, and brings what the job says', async (t) => {
  await using model = await startModelServer({
    respond: ({ body }) => ({ text: `to ${textOf(body.messages.at(-1))}` }),
  });
  const gate = Promise.withResolvers<void>();
  model.enqueue({ text: 'Rain at noon.', gate: gate.promise });
  const place = await gatewayPlace(t, model);
  const schedule = { kind: 'interval', minutes: 60, display: 'every 60m' };
  const due = { next_run_at: '2026-01-01T00:00:00+00:00', deliver: 'telegram:1001' };
  place.write(
    'cron/jobs.json',
    JSON.stringify({ jobs: [{ id: 'aaaabbbbcccc', name: 'Weather', prompt: 'x', schedule, ...due }] }),
  );
  const gateway = place.run();
  await place.inState(gateway, 'running');
  await until(() => model.requests.length === 1, gateway);
  gateway.child.kill('SIGTERM');
  await place.inState(gateway, 'draining');
  await place.telegram.write({ in: { chatId: '1001', threadId: null }, text: 'hi' });
  gate.resolve();
  assert.equal((await gateway.ended).code, 1);
  assert.match(place.texts().join(' '), /Rain at noon\./);
  assert.equal(model.requests.length, 1);
  const next = place.run();
  await until(() => place.texts().includes('to hi'), next);
});
