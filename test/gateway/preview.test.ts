/** An answer that is shown while it is written: each text stands once, and in the order in which it was said. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { startModelServer } from '../fakes/model-server.ts';
import type { AdapterClock } from '../../src/gateway/platform/adapter-host.ts';
import { type Gateway, systemClock } from '../../src/gateway/gateway.ts';
import { ChatService } from './chat-service.ts';
import { openGateway } from './support.ts';

const streamed =
  'auxiliary:\n  title_generation:\n    enabled: false\nstreaming:\n  buffer_threshold: 1\n  edit_interval: 0\ndisplay:\n  platforms:\n    fake:\n      streaming: true\n      tool_progress: off\n';

test('what is said before a tool call stands once, before the answer, also when the platform is slow to take it', async (t) => {
  await using server = await startModelServer();
  server.enqueue(
    { text: 'Let me look at the list first.', toolCalls: [{ name: 'todo', arguments: {} }] },
    { text: 'The list is empty.' },
  );
  const fake = new ChatService();
  const slow = Promise.withResolvers<void>();
  fake.holdFirstSend(slow.promise);
  await openGateway(t, server, { config: streamed, fake });
  await fake.say('what is on my list?');
  await server.requestArrived(2);
  slow.resolve();
  await fake.until(() => fake.texts().includes('The list is empty.'));
  assert.deepEqual(fake.texts(), ['Let me look at the list first.', 'The list is empty.']);
});

test('what is said before a tool call is whole, also when it is longer than one message', async (t) => {
  await using server = await startModelServer();
  const long = Array.from({ length: 60 }, (_, line) => `${line} of many things that I am going to look at`).join('\n');
  server.enqueue({ text: long, toolCalls: [{ name: 'todo', arguments: {} }] }, { text: 'Done.' });
  const fake = new ChatService({ facts: { maxMessageLength: 1000 } });
  await openGateway(t, server, { config: streamed, fake });
  await fake.say('look');
  await fake.until(() => fake.texts().includes('Done.'));
  const shown = fake
    .texts()
    .join('\n')
    .replaceAll(/ \(\d+\/\d+\)/g, '');
  assert.deepEqual(
    long.split('\n').filter((line) => !shown.includes(line)),
    [],
  );
  assert.ok(!shown.includes('▉'));
});

test('an answer that was shown for long is sent anew when it is complete, where an edit tells nobody of it', async (t) => {
  await using server = await startModelServer();
  const [soon, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  server.enqueue(
    { text: 'quick and complete', gateAfterFirst: soon.promise },
    { text: 'slow and complete', gateAfterFirst: late.promise },
  );
  let ahead = 0;
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  const config = streamed.replace('streaming:\n', 'streaming:\n  fresh_final_after_seconds: 60\n');
  const fake = new ChatService({ removes: true, facts: { editsKeepTime: true } });
  await openGateway(t, server, { config, fake, clock });
  await fake.say('one');
  await fake.until(() => fake.texts().some((text) => text.endsWith('▉')));
  soon.resolve();
  await fake.until(() => fake.texts().includes('quick and complete'));
  assert.equal(fake.messages.length, 1, 'it took the place of what was shown');
  await fake.say('two');
  await fake.until(() => fake.texts().some((text) => text.endsWith('▉')));
  ahead = 61_000;
  late.resolve();
  await fake.until(() => fake.texts().includes('slow and complete') && !fake.texts().join('').includes('▉'));
  assert.deepEqual(fake.texts(), ['quick and complete', 'slow and complete']);
  assert.deepEqual(
    fake.messages.map(({ removed, history }) => [removed, history.at(-1)?.includes('▉')]),
    [
      [false, false],
      [true, true],
      [false, false],
    ],
  );
});

test('when nobody knows whether an answer that is sent anew arrived, what was shown becomes it, with a mark', async (t) => {
  const { fake, complete } = await shownForLong(t);
  fake.failures.push({ ok: false, kind: 'transient', error: 'cut', mayHaveArrived: true });
  complete();
  await fake.until(() => !fake.texts().join().includes('▉'));
  assert.equal(fake.messages.length, 1);
  assert.match(fake.texts().join(), /^♻️[^]*slow and complete$/);
});

test('what was shown of an answer that came anew goes away, also when that takes another try', async (t) => {
  const { fake, complete } = await shownForLong(t);
  fake.removeFailures.push({ ok: false, kind: 'transient', error: 'cut', mayHaveArrived: true });
  complete();
  await fake.until(() => fake.texts().join() === 'slow and complete');
  assert.equal(fake.messages.length, 2);
});

test('an answer that is interrupted stays without its cursor, before the one that answers both', async (t) => {
  await using server = await startModelServer();
  const never = Promise.withResolvers<void>();
  server.enqueue({ text: 'half of an answer', gateAfterFirst: never.promise }, { text: 'both' });
  const { fake } = await openGateway(t, server, { config: streamed });
  await fake.say('one');
  await fake.until(() => fake.texts().some((text) => text.endsWith('▉')));
  await fake.say('two');
  await fake.until(() => fake.texts().includes('both'));
  assert.match(fake.texts()[0] ?? '', /^half of an a/);
  assert.doesNotMatch(fake.texts().join('|'), /▉/);
  never.resolve();
});

test('an answer is not shown before an earlier one that is still to be sent, and neither is what it says on the way', async (t) => {
  await using server = await startModelServer();
  server.enqueue(
    { text: 'first' },
    { text: 'Let me look.', toolCalls: [{ name: 'todo', arguments: {} }] },
    { text: 'second' },
  );
  const later = Promise.withResolvers<void>();
  const clock: AdapterClock = {
    ...systemClock,
    sleep: async (ms, signal) => {
      const over = systemClock.sleep(ms, signal);
      await (ms === 90_000 ? Promise.race([later.promise, over]) : over);
    },
  };
  const fake = new ChatService();
  const { gateway } = await openGateway(t, server, { config: streamed.replace('off', 'all'), fake, clock });
  const busy = { ok: false, kind: 'rate_limited', error: 'slower', retryAfterMs: 90_000 } as const;
  // The one that shows it, and the one that sends it.
  fake.failures.push(busy, busy);
  await fake.say('one');
  await server.requestArrived(1);
  await idle(gateway);
  await fake.say('two');
  await server.requestArrived(3);
  await idle(gateway);
  assert.deepEqual(fake.texts(), []);
  later.resolve();
  await fake.until(() => fake.texts().includes('second'));
  assert.deepEqual(fake.texts(), ['first', 'Let me look.', 'second']);
});

async function idle({ chats }: Gateway): Promise<void> {
  while (chats.busy.length > 0) await setTimeout(5);
}

/** An answer that is not complete and has been shown for a minute; of the waits between two tries nothing is left. */
async function shownForLong(t: TestContext) {
  const server = await startModelServer();
  t.after(() => server.close());
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'slow and complete', gateAfterFirst: gate.promise });
  let ahead = 0;
  const clock: AdapterClock = {
    now: () => Date.now() + ahead,
    sleep: (ms, signal) => (ms === 2000 || ms === 30_000 ? setImmediate() : systemClock.sleep(ms, signal)),
    random: () => 0,
  };
  const config = streamed.replace('streaming:\n', 'streaming:\n  fresh_final_after_seconds: 60\n');
  const fake = new ChatService({ removes: true, facts: { editsKeepTime: true } });
  await openGateway(t, server, { config, fake, clock });
  await fake.say('go');
  await fake.until(() => fake.texts().some((text) => text.endsWith('▉')));
  ahead = 61_000;
  return { fake, complete: () => gate.resolve() };
}
