/** How long an approval waits where nothing is set: 60 seconds, in chats and at the terminal. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { openGateway } from './support.ts';
import { plainTerminal } from '../cli/interactive/plain-terminal.ts';

/** The limit of 60 seconds is over when it is said to be; all others are left alone. */
function aMinute(t: TestContext) {
  const limit = new AbortController();
  const asked: number[] = [];
  const real = AbortSignal.timeout.bind(AbortSignal);
  t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    if (ms !== 60_000) return real(ms);
    asked.push(ms);
    return limit.signal;
  });
  return { asked, pass: () => limit.abort(new DOMException('over', 'TimeoutError')) };
}

test('in a chat an approval waits 60 seconds, then the call is refused and the model is told that silence is no consent', async (t) => {
  const minute = aMinute(t);
  await using server = await startModelServer({ strict: true });
  const config =
    'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
  const { fake, place } = await openGateway(t, server, { config });
  place.put('src/a', '');
  server.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r src' } }] },
    { text: 'Nobody was there.' },
  );
  await fake.say('tidy up');
  await fake.until(() => fake.texts().some((text) => text.includes('Approval needed')));
  assert.deepEqual(minute.asked, [60_000]);
  assert.equal(fake.texts().length, 1, 'it waits');
  minute.pass();
  await fake.until(() => fake.texts().includes('Nobody was there.'));
  assert.ok(fake.texts().includes('⌛ Not answered; it was not run.'));
  assert.match(server.lastRequest.rawBody, /[Ss]ilence is (?:no|not) consent/);
  assert.ok(existsSync(join(place.work, 'src')));
});

test('at the terminal an approval waits 60 seconds', async (t) => {
  const minute = aMinute(t);
  const { approvals } = (await loadConfig(temporaryHome(t))).config;
  const { screen, human: personWith, written } = plainTerminal();
  const human = personWith({ approvalSeconds: approvals.timeout, clarifySeconds: 120 });
  const request = {
    tool: 'terminal',
    command: 'rm -r src',
    reasons: ['recursive delete'],
    keys: ['recursive delete'],
    mayRemember: true,
    sources: [],
  };
  const answer = human.approve(request, new AbortController().signal);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(minute.asked, [60_000]);
  minute.pass();
  assert.equal(await answer, 'timeout');
  assert.match(written(), /No answer within 60 s means no/);
  screen.abandon();
});
