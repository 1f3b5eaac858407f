/** What is said behind the message of a request that failed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextStep } from '../../src/agent/next-step.ts';
import { ModelError } from '../../src/llm/model-error.ts';

test('a refused key is followed by how to set another, a login that says how to renew itself by nothing', () => {
  const refused = new ModelError('auth', 'HTTP 401, the key is refused.', { provider: 'groq' });
  assert.equal(nextStep(refused), 'set a key or log in with: hermes auth add groq');
  const ended = new ModelError('auth', 'The login of x has ended. Log in again with `hermes auth add x`.');
  assert.equal(nextStep(ended), undefined);
});
