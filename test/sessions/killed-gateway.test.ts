/** A gateway on the session store that is killed. */
import { test } from 'node:test';
import { surviveKilledGateways } from './killed-gateway.ts';

test('killed four times while it answers, a gateway loses no message, and tells nobody twice without a mark', async (t) => {
  await surviveKilledGateways(t, 4);
});
