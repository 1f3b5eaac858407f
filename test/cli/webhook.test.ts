/** `hermes webhook`, as it is typed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as webhook from '../../src/cli/commands/webhook.ts';
import { readSubscriptions, subscriptionsFile } from '../../src/http/webhooks/subscriptions.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { runCommand } from './config/run-command.ts';

test('a route is made, listed with its secret masked, and removed', async (t) => {
  const { home, env } = temporaryHome(t);
  const place = { home, env: { ...env, WEBHOOK_ENABLED: 'true' } };
  const run = (...words: string[]) => runCommand(webhook, place, ...words);
  await run('subscribe', 'My Hook', '--events', 'push,ping', '--secret', 'a-long-secret-text', '--deliver', 'telegram');
  const path = subscriptionsFile(home.path);
  assert.deepEqual(Object.keys(readSubscriptions(path)), ['my-hook']);
  assert.doesNotMatch(JSON.stringify(await run('list')), /a-long-secret-text/);
  await run('remove', 'my-hook');
  assert.deepEqual(readSubscriptions(path), {});
});

test('a route that delivers to nowhere is wrong usage', async (t) => {
  const { home, env } = temporaryHome(t);
  const place = { home, env: { ...env, WEBHOOK_ENABLED: 'true' } };
  const run = await runCommand(
    webhook,
    place,
    'subscribe',
    'x',
    '--deliver-only',
    '--prompt',
    'hi',
    '--secret',
    'a-long-text',
  );
  assert.equal(run.exitCode, 2);
  assert.deepEqual(readSubscriptions(subscriptionsFile(home.path)), {});
});
