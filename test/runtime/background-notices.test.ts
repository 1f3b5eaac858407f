/** News of background processes in the terminal, and what `display.background_process_notifications` has to do with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { chatAt, placeFor } from './support.ts';

const off = 'display:\n  background_process_notifications: off\n';
const started = { name: 'terminal', arguments: { command: 'true', background: true, notify_on_complete: true } };

for (const [surface, heard] of [
  ['cli', 1],
  ['telegram', 0],
] as const)
  test(`background_process_notifications: off, which is for chats, leaves ${heard} notices on ${surface}`, async (t) => {
    await using server = await startModelServer();
    const chat = await chatAt(placeFor(t, server, off), { surface, present: true });
    chat.choice = 'once';
    server.enqueue({ toolCalls: [started] }, { text: 'Started.' });
    const told = new Promise<void>((resolve) => chat.session.background.onNotice(() => resolve()));
    await chat.say('go');
    await told;
    const notices = chat.session.background.takeNotices();
    assert.equal(notices.length, heard, notices.join('\n'));
  });
