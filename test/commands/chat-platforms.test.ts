/** `/platforms` and `/footer` in the terminal: what of the gateway is seen and set from there. */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gatewayDoor } from '../../src/cli/gateway/door.ts';
import { contextOn } from '../cli/config/run-command.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { openConversation } from './conversation.ts';

test('/platforms and /gateway say whether the gateway runs, what is set up, and where its home is', async (t) => {
  await using server = await startModelServer();
  const place = temporaryHome(t);
  const chat = await openConversation(t, server, '', { place, gateway: gatewayDoor(contextOn(place, {})) });
  assert.equal(
    await chat.type('/platforms'),
    'The gateway of profile default does not run.\nNo chat platform is set up. Set one up: hermes gateway setup',
  );
  appendFileSync(
    join(chat.homePath, 'config.yaml'),
    `platforms:
  telegram: { enabled: true, token: '123456789:AAsome-token-of-a-bot-0123456789abcdef', home_channel: { chat_id: '7', name: Ann } }
  matrix: { enabled: false, token: syt_of_the_agent, homeserver: 'https://matrix.example', user_id: '@hermes:matrix.example' }
`,
  );
  const shown = await chat.type('/gateway');
  assert.match(shown, /^Telegram: set up, home chat Ann$/m);
  assert.match(shown, /^Matrix: set up, but switched off, no home chat$/m);
});

test('/footer turns, sets and shows the line under answers in chats', async (t) => {
  await using server = await startModelServer();
  const place = temporaryHome(t);
  const chat = await openConversation(t, server, '', { place, gateway: gatewayDoor(contextOn(place, {})) });
  assert.equal(await chat.type('/footer status'), 'Footer in chats: off.');
  assert.match(await chat.type('/footer'), /^Footer in chats: on \(model, context_pct, cwd\)\.\n/);
  assert.match(chat.config(), /runtime_footer:\n\s+enabled: true/);
  assert.match(await chat.type('/footer off'), /^Footer in chats: off\./);
  assert.match(await chat.type('/footer on'), /^Footer in chats: on/);
  assert.match(await chat.type('/footer'), /^Footer in chats: off\./);
  await assert.rejects(chat.type('/footer maybe'), /'maybe' is not one of: on, off, status/);
});
