/** `kill -9` at every kind of moment of a turn, in many orders. */
import { suite, test } from 'node:test';
import { shuffled } from '../random.ts';
import { type Moment, survive } from './killed-conversation.ts';

const moments: readonly Moment[] = [
  { at: 'anywhere' },
  { at: 'held', request: 1 },
  { at: 'streaming', request: 1 },
  { at: 'storing', request: 1 },
  { at: 'running', request: 1 },
  { at: 'anywhere' },
  { at: 'held', request: 2 },
  { at: 'streaming', request: 2 },
  { at: 'storing', request: 2 },
  { at: 'running', request: 2 },
  { at: 'held', request: 3 },
  { at: 'streaming', request: 3 },
  { at: 'storing', request: 3 },
  { at: 'answered' },
];

suite('kill -9', { concurrency: 2 }, () => {
  for (const seed of [20_251, 20_252, 20_253, 20_254]) {
    test(`a conversation survives 28 deaths (seed ${seed})`, async (t) => {
      await survive(t, seed, shuffled([...moments, ...moments], seed));
    });
  }
});
