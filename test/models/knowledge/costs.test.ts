import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { costOf, type ModelPrice } from '../../../src/models/model-facts.ts';
import type { Usage } from '../../../src/llm/protocol.ts';

const opus: ModelPrice = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
const none: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

test('each kind of token costs its own price, and reasoning is not counted twice', () => {
  const usage: Usage = { input: 1000, output: 2000, cacheRead: 100_000, cacheWrite: 4000, reasoning: 1500 };
  // 0.005 + 0.05 + 0.05 + 0.025
  assert.equal(costOf(usage, opus), 0.13);
});

test('without prices of their own, cached tokens cost as much as others', () => {
  assert.equal(costOf({ ...none, cacheRead: 1_000_000, cacheWrite: 1_000_000 }, { input: 2, output: 8 }), 4);
});

test('a free cache is free', () => {
  assert.equal(costOf({ ...none, cacheWrite: 1_000_000 }, { input: 2, output: 8, cacheWrite: 0 }), 0);
});

test('what the provider billed beats every price list', () => {
  assert.equal(costOf({ ...none, output: 1_000_000, costUsd: 0.0123 }, opus), 0.0123);
  assert.equal(costOf({ ...none, costUsd: 0 }, undefined), 0);
});

test('without a price there is no cost, which is not the same as nothing', () => {
  assert.equal(costOf({ ...none, output: 10 }, undefined), undefined);
});

test('a prompt beyond the limit makes the whole request dearer, cached tokens counted in', () => {
  const price: ModelPrice = {
    input: 2,
    output: 12,
    cacheRead: 0.2,
    longPrompt: { aboveTokens: 200_000, input: 4, output: 18, cacheRead: 0.4 },
  };
  assert.equal(costOf({ ...none, input: 200_000, output: 1_000_000 }, price), 0.4 + 12);
  assert.equal(costOf({ ...none, input: 100_000, cacheRead: 100_001, output: 0 }, price), (400_000 + 40_000.4) / 1e6);
});

test('a cost is never negative, never less for more tokens, and ignores how much of the output was reasoning', () => {
  const tokens = fc.nat(2_000_000);
  const dollars = fc.double({ min: 0, max: 200, noNaN: true });
  const usages = fc.record({ input: tokens, output: tokens, cacheRead: tokens, cacheWrite: tokens, reasoning: tokens });
  const prices = fc.record(
    { input: dollars, output: dollars, cacheRead: dollars, cacheWrite: dollars },
    { requiredKeys: ['input', 'output'] },
  );
  fc.assert(
    fc.property(usages, prices, tokens, (usage, price, more) => {
      const cost = costOf(usage, price) ?? Number.NaN;
      assert.ok(cost >= 0);
      assert.ok((costOf({ ...usage, output: usage.output + more }, price) ?? -1) >= cost);
      assert.equal(costOf({ ...usage, reasoning: 0 }, price), cost);
    }),
  );
});
