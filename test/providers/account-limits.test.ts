/** What an account may still use, asked of servers that answer as the providers do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authorizer } from '../../src/llm/authorizer.ts';
import { askLimits } from '../../src/providers/account-limits/ask-limits.ts';
import { startJsonServer } from '../fakes/json-server.ts';

const never = new AbortController().signal;
const bearer: Authorizer = { headers: async () => ({ authorization: 'Bearer secret-1' }), secrets: ['secret-1'] };

test('OpenRouter tells the credit of the account and the quota of the key', async () => {
  await using server = await startJsonServer({
    'GET /api/v1/credits': { body: { data: { total_credits: 20, total_usage: 7.5 } } },
    'GET /api/v1/key': {
      body: {
        data: { limit: 10, limit_remaining: 4, limit_reset: 'monthly', usage: 6, usage_daily: 1.25, label: 'x' },
      },
    },
  });
  const route = { provider: 'openrouter', baseUrl: `${server.url}/api/v1/`, authorizer: bearer };
  assert.deepEqual(await askLimits(route, { signal: never }), {
    windows: [{ name: 'Key', usedPercent: 60, detail: '$4.00 of $10.00 left, resets monthly' }],
    facts: ['Credit: $12.50', 'Key used: $6.00 in all, $1.25 today'],
  });
  assert.deepEqual([...new Set(server.requests.map(({ headers }) => headers.authorization))], ['Bearer secret-1']);
  server.answer({ 'GET /api/v1/credits': { body: { data: { total_credits: 1, total_usage: 3 } } } });
  assert.deepEqual(await askLimits(route, { signal: never }), { windows: [], facts: ['Credit: $0.00'] });
});

test('Codex tells the two windows of the subscription, banked resets and credit', async () => {
  const usage = {
    plan_type: 'plus',
    rate_limit: {
      primary_window: { used_percent: 34.4, reset_at: 1_800_000_000, limit_window_seconds: 18_000 },
      secondary_window: { used_percent: 100, reset_at: null },
    },
    rate_limit_reset_credits: { available_count: 2 },
    credits: { has_credits: true, unlimited: false, balance: '12.5' },
  };
  await using server = await startJsonServer({ 'GET /backend-api/wham/usage': { body: usage } });
  const route = { provider: 'openai-codex', baseUrl: `${server.url}/backend-api/codex`, authorizer: bearer };
  assert.deepEqual(await askLimits(route, { signal: never }), {
    plan: 'plus',
    windows: [
      { name: 'Session', usedPercent: 34.4, resetsAt: 1_800_000_000_000 },
      { name: 'Week', usedPercent: 100 },
    ],
    facts: ['Resets: 2 banked', 'Credit: $12.50'],
  });
  server.answer({ 'GET /backend-api/wham/usage': { body: { ...usage, plan_type: '\u001b[2J' } } });
  assert.equal((await askLimits(route, { signal: never }))?.plan, undefined);
});

test('Anthropic tells the windows of a subscription, and is not asked with a key', async () => {
  await using server = await startJsonServer({
    'GET /api/oauth/usage': {
      body: {
        five_hour: { utilization: 6, resets_at: '2026-12-01T10:00:00.123+00:00' },
        seven_day: { utilization: 50.5, resets_at: null },
        seven_day_opus: null,
        extra_usage: { is_enabled: true, used_credits: 3, monthly_limit: 50, currency: 'USD' },
      },
    },
  });
  const route = { provider: 'anthropic', baseUrl: server.url };
  assert.deepEqual(await askLimits({ ...route, authorizer: bearer }, { signal: never }), {
    windows: [
      { name: 'Session', usedPercent: 6, resetsAt: Date.UTC(2026, 11, 1, 10, 0, 0, 123) },
      { name: 'Week', usedPercent: 50.5 },
    ],
    facts: ['Extra usage: 3.00 of 50.00 USD'],
  });
  const key: Authorizer = { headers: async () => ({ 'x-api-key': 'secret-2' }), secrets: ['secret-2'] };
  assert.equal(await askLimits({ ...route, authorizer: key }, { signal: never }), undefined);
  assert.equal(server.requests.length, 1);
});

test('who tells no limits is not asked, and an answer of another kind is none', async () => {
  await using server = await startJsonServer({});
  const at = (provider: string) => ({ provider, baseUrl: server.url, authorizer: bearer });
  assert.equal(await askLimits(at('custom'), { signal: never }), undefined);
  assert.equal(server.requests.length, 0);
  for (const body of ['<html>', [], { data: { total_credits: 'many' } }, { rate_limit: 3 }, { five_hour: 'soon' }]) {
    server.answer({
      'GET /credits': { body },
      'GET /api/codex/usage': { body },
      'GET /api/oauth/usage': { body },
    });
    for (const provider of ['openrouter', 'openai-codex', 'anthropic']) {
      assert.equal(await askLimits(at(provider), { signal: never }), undefined, `${provider}: ${JSON.stringify(body)}`);
    }
  }
});

test('whoever waits for a provider that does not answer can leave', async () => {
  await using server = await startJsonServer({ 'GET /credits': { hang: true }, 'GET /key': { hang: true } });
  const leaving = new AbortController();
  const asked = askLimits(
    { provider: 'openrouter', baseUrl: server.url, authorizer: bearer },
    { signal: leaving.signal },
  );
  leaving.abort();
  await assert.rejects(asked, { name: 'AbortError' });
});
