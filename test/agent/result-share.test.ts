/** How much of the window results of tools may take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelRequest } from '../../src/llm/protocol.ts';
import { agentWith, collect, compressorWith, contentOf, errorOf, routeWithin, testTool } from './support.ts';

const charsPerToken = 4;

/** A turn of one answer with so many calls side by side, each with an output of so many characters: its second request. */
async function requestAfter(window: number, calls: number, outputChars: number): Promise<ModelRequest> {
  const requests: ModelRequest[] = [];
  const { agent } = agentWith({
    route: routeWithin(window, (request) => {
      requests.push(request);
      return requests.length === 1
        ? { calls: Array.from({ length: calls }, (_, at) => ({ name: 'look', args: { at } })) }
        : { text: 'done' };
    }),
    tools: [testTool('look', () => 'o'.repeat(outputChars))],
    contextEngine: compressorWith(),
    systemPrompt: async () => 'p'.repeat(Math.min(16_000, window)),
  });
  const { result } = await collect(agent.run('Look at all of them.'));
  assert.equal(result.ended, 'completed', errorOf(result));
  const [, second] = requests;
  if (second === undefined) throw new Error('there was no second request');
  assert.ok(JSON.stringify(second.messages).length < window * 0.9 * charsPerToken, 'the request does not fit');
  return second;
}

const resultsOf = ({ messages }: ModelRequest): readonly string[] =>
  messages.filter(({ role }) => role === 'tool').map(contentOf);

for (const window of [8192, 16_384, 32_768, 64_000, 128_000]) {
  test(`in a window of ${window} tokens three results of 15 % each stay whole beside each other`, async () => {
    const chars = Math.floor(window * charsPerToken * 0.15);
    const results = resultsOf(await requestAfter(window, 3, chars));
    assert.deepEqual(
      results,
      Array.from({ length: 3 }, () => 'o'.repeat(chars)),
    );
  });

  test(`in a window of ${window} tokens a longer result is cut to 15 %, and eight at once still fit`, async () => {
    const [only = ''] = resultsOf(await requestAfter(window, 1, window * charsPerToken));
    assert.match(only, /its start and its end are shown/);
    assert.ok(only.length < window * charsPerToken * 0.15 + 200, `${only.length}`);
    assert.equal(resultsOf(await requestAfter(window, 8, window * charsPerToken)).length, 8);
  });
}
