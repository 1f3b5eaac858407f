/** What the command line says of a gateway that runs, and how it ends it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hermes, ok } from '../../cli/hermes-process.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { gatewayPlace } from './support.ts';

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
