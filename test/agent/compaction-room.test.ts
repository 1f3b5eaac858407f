/** What compactions cost in long, tool-heavy work: in steps between them, and in tokens beside the conversation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weighMessage } from '../../src/llm/estimate.ts';
import { agentWith, collect, compressorWith, errorOf, routeWithin, testTool } from './support.ts';

const summary = `## Goal\nPort the program.\n## Completed Actions\n${'One more part was ported and tested. '.repeat(150)}\n## Historical Remaining Work\nGo on with the next part.`;

interface Cost {
  readonly compactions: number;
  /** Steps between a compaction and the next, the smallest number. */
  readonly minSteps: number;
  /** Tokens of the summariser's requests for each hundred of the conversation's. */
  readonly percent: number;
}

/** Turns of forty steps, each a call with an output of so many characters. */
async function work(window: number, outputChars: number, steps: number): Promise<Cost> {
  const stepsOfTurn = 40;
  let [sent, beside, asked] = [0, 0, 0];
  const route = routeWithin(window, ({ messages }) => {
    sent += messages.reduce((sum, message) => sum + weighMessage(message), 0);
    asked += 1;
    return asked % stepsOfTurn === 0
      ? { text: 'That part is done.' }
      : { calls: [{ name: 'look', args: { at: asked } }] };
  });
  const engine = compressorWith((prompt) => {
    beside += (prompt.length + summary.length) / 4;
    return summary;
  });
  const tool = testTool('look', ({ at }) => `${String(at)} ${'o'.repeat(outputChars)}`);
  const { agent } = agentWith({
    route,
    tools: [tool],
    contextEngine: engine,
    systemPrompt: async () => 'p'.repeat(24_000),
  });
  const at: number[] = [];
  for (let turn = 0; turn < steps / stepsOfTurn; turn += 1) {
    const { result } = await collect(agent.run('Go on with the next part.'), (event) => {
      if (event.type === 'status' && event.kind === 'compression') at.push(asked);
    });
    assert.equal(result.ended, 'completed', errorOf(result));
  }
  const gaps = at.slice(1).map((step, index) => step - (at[index] ?? 0));
  return { compactions: at.length, minSteps: Math.min(...gaps), percent: (beside / sent) * 100 };
}

/** Ten, unless each output is more than a twentieth of the window: then what the window holds is used up sooner. */
const stepsBought = (window: number, kilobytes: number) =>
  kilobytes < 40 || window === 200_000 ? 10 : window === 128_000 ? 9 : 4;

for (const window of [64_000, 128_000, 200_000]) {
  for (const kilobytes of [3, 12, 40]) {
    const bought = stepsBought(window, kilobytes);
    test(`with a window of ${window} and outputs of ${kilobytes} kB each compaction buys ${bought} steps, at 5 % more tokens`, async () => {
      const { compactions, minSteps, percent } = await work(window, kilobytes * 1000, kilobytes === 3 ? 320 : 160);
      assert.ok(compactions >= 2, `${compactions} compactions`);
      assert.ok(minSteps >= bought, `only ${minSteps} steps between two compactions`);
      assert.ok(percent <= 5, `${percent} % more tokens`);
    });
  }
}
