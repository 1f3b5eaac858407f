/** A task beside the conversation, as a person at a terminal meets it. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../../fakes/model-server.ts';
import { makePlace } from '../hermes-process.ts';
import { noTmux, openPane } from './tmux.ts';

const skip = noTmux;

test('a task asks by its number, and its result is shown while the conversation goes on', { skip }, async (t) => {
  const { promise: never } = Promise.withResolvers<void>();
  await using server = await startModelServer({
    title: 'A title',
    async respond({ body, rawBody }) {
      if (rawBody.includes('sit still')) await never;
      if (!rawBody.includes('tidy up')) return { text: 'Hello you.' };
      const isDone = body.messages.some(({ role }) => role === 'tool');
      return isDone
        ? { text: 'All **tidy**.' }
        : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r victim' } }] };
    },
  });
  const place = makePlace(t, server);
  const victim = join(place.work, 'victim');
  mkdirSync(victim);
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('/background tidy up');
  await pane.sees(/🔄 Background task #1 started: "tidy up"\s+Task ID: bg_\d{6}_[0-9a-f]{6}/);
  await pane.sees(/needs your approval: [^]*background task #1 \(tidy up\) asks[^]*→ \d no\n/);
  pane.keys('1');
  await pane.sees(/⚕ Hermes \(background #1\)\s+"tidy up" \(bg_\w+\)\s+All tidy\./);
  assert.ok(!existsSync(victim));
  pane.enter('hello');
  await pane.sees(/Hello you\./);
  pane.enter('/bg sit still');
  await pane.sees(/▶ 1/);
  pane.enter('/quit');
  assert.equal(await pane.ended(), 0);
  assert.match(
    pane.written(),
    /Background task #2 was stopped\. To go on with it: hermes --resume bg_\d{6}_[0-9a-f]{6}/,
  );
});
