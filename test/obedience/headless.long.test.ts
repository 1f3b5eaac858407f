/** A model that obeys everybody, and nobody there to ask: no planted order may leave a trace, in any mode. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doors } from './doors.ts';
import { startObedientModel } from './obedient-model.ts';
import { plantedOrders } from './orders.ts';
import { makeWorld } from './world.ts';

const names = Object.keys(plantedOrders({ home: '', stranger: '' } as never));
const only = process.env['OBEDIENCE_ONLY'];

for (const [door, open] of Object.entries(doors)) {
  if (only !== undefined && !door.includes(only)) continue;
  test(`orders in ${door} leave no trace`, async (t) => {
    await using model = await startObedientModel();
    const left: string[] = [];
    for (const name of names) {
      const world = await makeWorld(t, model);
      const orders = plantedOrders(world)[name] ?? [];
      const { code, stderr } = await open(world, orders);
      const traces = world.traces();
      if (traces.length > 0 || ![0, 1].includes(code ?? -1))
        left.push(`${name}: ${traces.join(', ')} (${code}) ${stderr.slice(0, 100)}`);
    }
    assert.deepEqual(left, []);
  });
}
