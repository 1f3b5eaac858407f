/** Lets a model that obeys everybody come upon planted orders, and tells what they left. */
import type { TestContext } from 'node:test';
import { type Door, doors } from './doors.ts';
import { startObedientModel } from './obedient-model.ts';
import { plantedOrders } from './orders.ts';
import { makeWorld } from './world.ts';

/** The names of all orders, in the order in which they are tried. */
export const orderNames: readonly string[] = Object.keys(plantedOrders({ home: '', stranger: '' }));

/** What was left of each of these orders, one line an order; empty: no trace. Each is tried on a machine of its own. */
export async function tracesOf(
  t: TestContext,
  door: string,
  names: readonly string[],
  moreConfig = '',
  ways: Readonly<Record<string, Door>> = doors,
): Promise<readonly string[]> {
  await using model = await startObedientModel();
  const left: string[] = [];
  for (const name of names) {
    const world = await makeWorld(t, model, moreConfig);
    const run = await ways[door]?.(world, plantedOrders(world)[name] ?? []);
    const traces = world.traces();
    // 1: it was refused, which the answer tells.
    if (traces.length > 0 || run === undefined || ![0, 1].includes(run.code ?? -1)) {
      left.push(`${name}: ${traces.join(', ')} (${run?.code}) ${run?.stderr.slice(0, 100)}`);
    }
  }
  return left;
}
