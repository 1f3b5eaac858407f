/** Old spellings of the configuration: each means what it meant, and never beats the new one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { normaliseLegacy } from '../../src/config/legacy.ts';
import type { JsonObject } from '../../src/lib/json.ts';

const cases: readonly (readonly [what: string, old: JsonObject, today: JsonObject])[] = [
  ['a model as text', { model: 'm' }, { model: { default: 'm' } }],
  ['a model below itself', { model: { model: 'm' } }, { model: { default: 'm' } }],
  ['a provider at the root', { provider: 'p', model: 'm' }, { model: { default: 'm', provider: 'p' } }],
  ['an address at the root', { base_url: 'http://h' }, { model: { base_url: 'http://h' } }],
  ['an address as other libraries call it', { model: { api_base: 'http://h' } }, { model: { base_url: 'http://h' } }],
  ['such an address at the root', { api_base: 'http://h' }, { model: { base_url: 'http://h' } }],
  ['a window at the root', { context_length: 8000, model: 'm' }, { model: { default: 'm', context_length: 8000 } }],
  ['turns at the root', { max_turns: 5 }, { agent: { max_turns: 5 } }],
  ['env_type', { terminal: { env_type: 'docker' } }, { terminal: { backend: 'docker' } }],
  [
    'the summary of the compression',
    { compression: { summary_model: 'm', summary_provider: 'p' } },
    { compression: {}, auxiliary: { compression: { model: 'm', provider: 'p' } } },
  ],
  ['fallback_model', { fallback_model: { provider: 'p' } }, { fallback_providers: { provider: 'p' } }],
  [
    'progress by platform',
    { display: { tool_progress_overrides: { telegram: 'off' } } },
    { display: { tool_progress_overrides: { telegram: 'off' }, platforms: { telegram: { tool_progress: 'off' } } } },
  ],
];

for (const [what, old, today] of cases) {
  test(`${what} is brought into today's form`, () => {
    const before = structuredClone(old);
    assert.deepEqual(normaliseLegacy(old), today);
    assert.deepEqual(old, before, 'the file as written stays');
  });
}

test('where old and new stand side by side, the new one counts', () => {
  assert.deepEqual(normaliseLegacy({ max_turns: 5, agent: { max_turns: 9 } }), { agent: { max_turns: 9 } });
  assert.deepEqual(normaliseLegacy({ terminal: { env_type: 'ssh', backend: 'local' } }), {
    terminal: { backend: 'local' },
  });
  assert.deepEqual(
    normaliseLegacy({
      display: { tool_progress_overrides: { slack: 'off' }, platforms: { slack: { tool_progress: 'all' } } },
    })['display'],
    { tool_progress_overrides: { slack: 'off' }, platforms: { slack: { tool_progress: 'all' } } },
  );
});

test('an empty new value leaves the place to the old one', () => {
  assert.deepEqual(normaliseLegacy({ fallback_model: { provider: 'p' }, fallback_providers: [] }), {
    fallback_providers: { provider: 'p' },
  });
  assert.deepEqual(normaliseLegacy({ max_turns: 5, agent: { max_turns: null } }), { agent: { max_turns: 5 } });
});

test('a form that is today’s already stays, whatever is in it', () => {
  const key = fc.constantFrom('model', 'agent', 'terminal', 'display', 'max_turns', 'provider', 'compression', 'zap');
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue()), (data) => {
      const once = normaliseLegacy(data as JsonObject);
      assert.deepEqual(normaliseLegacy(once), once);
    }),
  );
});
