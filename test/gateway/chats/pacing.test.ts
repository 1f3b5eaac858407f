/** What a chat is shown while a turn runs: one writer, which waits when it is told to, and says nothing twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Lane } from '../../../src/gateway/chats/lane.ts';
import { Preview } from '../../../src/gateway/chats/preview.ts';
import { ToolBubble } from '../../../src/gateway/chats/tool-bubble.ts';
import { chatDisplay } from '../../../src/gateway/display/display-settings.ts';
import type { PlatformAdapter } from '../../../src/gateway/platform/adapter.ts';
import type { SendResult } from '../../../src/gateway/platform/send-result.ts';
import { noLog } from '../../../src/lib/log.ts';

/** A chat whose clock goes on by what is waited for, and all that was asked of it. */
function openChat({
  maxMessageLength = 4096,
  limit = () => false,
}: {
  maxMessageLength?: number;
  /** Whether the platform asks for patience, after so many messages and edits. */
  limit?: (already: number) => boolean;
}) {
  let now = 0;
  const asked: { readonly at: number; readonly text: string; readonly refused: boolean }[] = [];
  const put = (text: string): Promise<SendResult> => {
    const refused = limit(asked.length);
    asked.push({ at: now, text, refused });
    if (refused) return Promise.resolve({ ok: false, kind: 'rate_limited', error: 'slower', retryAfterMs: 30_000 });
    return Promise.resolve({ ok: true, messageId: `m${asked.length}` });
  };
  const edits = { edit: (_id: string, { text }: { readonly text: string }) => put(text) };
  const adapter: PlatformAdapter = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    chatInfo: () => Promise.resolve(undefined),
    send: ({ text }) => put(text),
    edits,
  };
  const place = {
    adapter,
    edits,
    to: { chatId: 'c', threadId: null },
    clock: {
      now: () => now,
      sleep: async (ms: number) => {
        await setImmediate();
        now += ms;
      },
      random: () => 0,
    },
    facts: { maxMessageLength, lengthUnit: 'utf16' as const },
    signal: new AbortController().signal,
    lane: new Lane(noLog),
    isBehind: () => false,
  };
  const streaming = {
    enabled: true,
    transport: 'edit',
    edit_interval: 1,
    buffer_threshold: 1,
    cursor: ' ▉',
    fresh_final_after_seconds: 0,
  } as const;
  const preview = new Preview({
    ...place,
    streaming,
    shown: { messageId: null, unknown: false },
    onPreview: () => Promise.resolve(),
  });
  const bubble = new ToolBubble({ ...place, display: chatDisplay('fake', {}, true) });
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await setImmediate();
  };
  return { asked, preview, bubble, until, lane: place.lane };
}

test('an answer that has outgrown its message is not shown again and again as it stands', async () => {
  const { asked, preview, until, lane } = openChat({ maxMessageLength: 800 });
  for (let length = 100; length <= 3000; length += 100) {
    preview.write('word '.repeat(length / 5));
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  }
  await until(() => asked.length > 3);
  await lane.empty();
  const texts = asked.map(({ text }) => text);
  assert.deepEqual(texts, [...new Set(texts)]);
});

for (const [first, title] of [
  ['answer', 'the answer so far'],
  ['tools', 'what the tools do'],
] as const) {
  test(`a chat that asks for patience with ${title} is left alone by all that is shown there`, async () => {
    const { asked, preview, bubble, until } = openChat({ limit: (already) => already === 1 });
    const show = {
      answer: (text: string) => preview.write(text),
      tools: (text: string) => bubble.add({ name: text, emoji: '🔧', preview: text }),
    };
    show[first]('one');
    await until(() => asked.length === 1);
    show[first]('one and two');
    await until(() => asked.length === 2);
    const [, refused] = asked;
    assert.equal(refused?.refused, true);
    show.answer('one and two and three');
    show.tools('three');
    await until(() => asked.length >= 4);
    const early = asked.slice(2).filter(({ at }) => at < (refused?.at ?? 0) + 30_000);
    assert.deepEqual(early, []);
  });
}
