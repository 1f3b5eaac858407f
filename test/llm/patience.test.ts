/** How long an answer is waited for, by model, size and provider. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelVariables } from '../../src/config/model-variables.ts';
import { knownSilenceMs } from '../../src/llm/patience.ts';
import { codexDeadlines } from '../../src/providers/codex-deadlines.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { resolveRoute } from '../providers/sources.ts';
import { askInVain, protocolAt } from './protocols/ask.ts';

test('models that are known to think for long get the time for it, by the beginning of their own name', () => {
  const seconds = (model: string) => knownSilenceMs(model) / 1000;
  for (const [model, expected] of [
    ['o1', 600],
    ['openai/o3-pro', 600],
    ['o3-mini-2025-01-31', 300],
    ['deepseek/deepseek-r1:free', 600],
    ['anthropic/claude-opus-4.6', 240],
    ['claude-sonnet-4-6', 180],
    ['qwen3:32b', 180],
    ['o30', 0],
    ['gpt-5', 0],
    ['my-o3', 0],
  ] as const) {
    assert.equal(seconds(model), expected, model);
  }
});

test('a stream that never begins ends at the time for its first event, and one that began does not', async () => {
  await using silent = await startModelServer({ respond: () => ({ fault: 'hang' }) });
  const limited = { timeoutsBySize: () => ({ firstEventMs: 40, staleMs: 5000 }) };
  const { error } = await askInVain(protocolAt(silent.url, limited));
  assert.deepEqual([error.kind, /no answer began within/.test(error.message)], ['timeout', true]);
  await using begun = await startModelServer({ respond: () => ({ fault: 'hang_after' }) });
  const early = { timeoutsBySize: () => ({ firstEventMs: 2000, staleMs: 2500 }) };
  const late = await askInVain(protocolAt(begun.url, early));
  assert.match(late.error.message, /did not go on for/);
});

test('a server of one’s own that falls silent is given up after its own time', async () => {
  await using server = await startModelServer({ respond: () => ({ fault: 'hang_after' }) });
  const at = { provider: 'custom', baseUrl: server.url, model: 'm' };
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], tools: [], stream: true };
  for (const [settings, env] of [
    [{ local_stream_stale_timeout: 0.05 }, {}],
    [{ local_stream_stale_timeout: 900 }, { HERMES_LOCAL_STREAM_STALE_TIMEOUT: '0.05' }],
  ] as const) {
    const { protocol } = await resolveRoute(at, settings, env);
    const { error } = await askInVain(protocol, request);
    assert.match(error.message, /did not go on for/);
  }
});

test('Codex begins to answer within two minutes, and within the time that the environment says', () => {
  const seconds = (env: Record<string, string>, tokens: number) => {
    const { firstEventMs = 0, staleMs, totalMs } = codexDeadlines(modelVariables(env).timeouts.codex)(tokens);
    return [firstEventMs, staleMs, totalMs].map((ms) => (ms === undefined ? undefined : ms / 1000));
  };
  assert.deepEqual(seconds({}, 100), [120, undefined, 1500]);
  const short = { HERMES_CODEX_TTFB_TIMEOUT_SECONDS: '20' };
  assert.deepEqual(seconds(short, 100), [20, undefined, 1500]);
  assert.deepEqual(seconds(short, 20_000), [60, undefined, 1500], 'a large request may stand in a queue');
  assert.deepEqual(seconds(short, 200_000), [120, undefined, 1500], 'but not for ever');
  assert.equal(seconds({ ...short, HERMES_CODEX_TTFB_MAX_SECONDS: '0' }, 200_000)[0], 180);
  assert.equal(seconds({ ...short, HERMES_CODEX_TTFB_STRICT: '1' }, 200_000)[0], 20);
  assert.equal(seconds({ ...short, HERMES_CODEX_TTFB_DISABLE_ABOVE_TOKENS: '0' }, 200_000)[0], 20);
  assert.equal(seconds({ HERMES_CODEX_TTFB_TIMEOUT_SECONDS: '0' }, 100)[0], 0);
  const set = { HERMES_CODEX_EVENT_STALE_TIMEOUT_SECONDS: '30', HERMES_CODEX_HARD_TIMEOUT_SECONDS: '0' };
  assert.deepEqual(seconds(set, 100), [120, 30, undefined]);
});
