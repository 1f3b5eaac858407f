/** Events of tools while nobody reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventChannel } from '../../src/agent/event-channel.ts';
import type { AgentEvent } from '../../src/agent/events.ts';

const progress = (text: string): AgentEvent => ({ type: 'tool_progress', callId: 'c', name: 't', text });
const notice = (message: string): AgentEvent => ({ type: 'status', kind: 'notice', message });

async function readAll(channel: EventChannel): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of channel.read()) events.push(event);
  return events;
}

test('a hundred thousand lines of output while nobody reads stay within bounds, and no other event is lost', async () => {
  const channel = new EventChannel();
  for (let n = 0; n < 100_000; n += 1) {
    channel.push(progress('x'.repeat(2000)));
    if (n % 1000 === 0) channel.push(notice(String(n)));
  }
  channel.end();
  const events = await readAll(channel);
  const others = events.flatMap((event) => (event.type === 'status' ? [event.message] : []));
  assert.deepEqual(
    others,
    Array.from({ length: 100 }, (_, n) => String(n * 1000)),
  );
  const chars = events.reduce((sum, event) => sum + (event.type === 'tool_progress' ? event.text.length : 0), 0);
  assert.ok(chars > 0 && chars <= 300_000, `${chars} characters were kept`);
});

test('one huge piece of output is cut', async () => {
  const channel = new EventChannel();
  channel.push(progress('x'.repeat(5_000_000)));
  channel.end();
  const [event] = await readAll(channel);
  assert.ok(event?.type === 'tool_progress' && event.text.length <= 300_000);
});

test('whoever reads along gets everything in order', async () => {
  const channel = new EventChannel();
  const reading = readAll(channel);
  const pushed: AgentEvent[] = [];
  for (let n = 0; n < 1000; n += 1) {
    pushed.push(progress(String(n)));
    channel.push(progress(String(n)));
    if (n % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  channel.end();
  assert.deepEqual(await reading, pushed);
});
