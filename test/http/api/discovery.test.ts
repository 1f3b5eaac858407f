/** What a client can find out before it asks anything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
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
