/** What a client can find out before it asks anything. */
import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { test } from 'node:test';
import * as z from 'zod';
import { noGateway } from '../../../src/http/api/gateway-view.ts';
import { startApi } from './support.ts';

test('health is told to everybody, models to whoever has the key', async (t) => {
  const { url, ask } = await startApi(t);
  const health = await fetch(`${url}/health`);
  assert.equal(health.status, 200);
  assert.equal(z.object({ status: z.string() }).parse(await health.json()).status, 'ok');
  const refused = await fetch(`${url}/v1/models`);
  assert.equal(refused.status, 401);
  assert.deepEqual(await refused.json(), {
    error: { message: 'Invalid API key', type: 'invalid_request_error', param: null, code: 'invalid_api_key' },
  });
  const models = z
    .object({ data: z.array(z.object({ id: z.string() })) })
    .parse(await (await ask('/v1/models')).json());
  assert.deepEqual(models.data, [{ id: 'hermes-agent' }]);
});

test('whoever watches the process is told in numbers how many platforms there are, and how full the disk is for programs', async (t) => {
  const states = { telegram: { state: 'connected' }, matrix: { state: 'retrying' } };
  const { ask, place } = await startApi(t, { gateway: { ...noGateway, platforms: states } });
  const told = z
    .object({
      platforms: z.record(z.string(), z.object({ state: z.string() })),
      readiness: z.object({
        checks: z.object({
          gateway: z.looseObject({ connected_platforms: z.number(), platforms: z.number() }),
          disk: z.looseObject({ used_percent: z.number() }),
        }),
      }),
    })
    .parse(await (await ask('/health/detailed')).json());
  const { gateway, disk } = told.readiness.checks;
  assert.deepEqual([gateway.connected_platforms, gateway.platforms], [2, 3]);
  assert.deepEqual(Object.keys(told.platforms).toSorted(), ['api_server', 'matrix', 'telegram']);
  const { blocks, bfree, bavail } = statfsSync(place.homePath);
  const used = ((blocks - bfree) / (blocks - bfree + bavail)) * 100;
  assert.ok(Math.abs(disk.used_percent - used) < 5, `${disk.used_percent} is not ${used}, as df tells it`);
});
