/** Two programs on one conversation: the second one is told, and decides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../../fakes/model-server.ts';
import { hermes, makePlace } from '../hermes-process.ts';
import { noTmux, openPane } from './tmux.ts';

test('a second program is asked what to do; it takes over, and the first one is told', { skip: noTmux }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ text: 'first answer' }, { text: 'second answer' });
  const place = makePlace(t, server);
  const first = openPane(t, place);
  await first.sees(/Type a message/);
  first.enter('hello');
  const [id = ''] = /\d{8}_\d{6}_[0-9a-f]{6}/.exec(await first.sees(/first answer/)) ?? [];
  const once = await hermes(place, ['-z', 'and you?', '-r', id]);
  assert.equal(once.code, 1);
  assert.equal(once.stdout, '');
  assert.match(once.stderr, /is being continued elsewhere: cli, process \d+ on/);
  const second = openPane(t, place, ['-r', id]);
  await second.sees(/Previous Conversation[\s\S]*continued elsewhere[\s\S]*→ 1 yes, wait/);
  second.keys('Down');
  await second.sees(/→ 2 yes, take over/);
  second.keys('Enter');
  await second.sees(/goes on here/);
  second.enter('more');
  await second.sees(/second answer/);
  assert.equal(server.requests.filter(({ rawBody }) => rawBody.includes('and you?')).length, 0);
  first.enter('and I?');
  await first.sees(/continued elsewhere[\s\S]*→ 1 yes, wait/);
  first.keys('Escape');
  assert.equal(await first.ended(), 0);
  assert.match(first.screen(), /Not sent: and I\?/);
  second.enter('/quit');
  assert.equal(await second.ended(), 0);
});

test('what is typed while waiting is sent when the other terminal leaves', { skip: noTmux }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ text: 'the first answer' }, { text: 'the second answer' });
  const place = makePlace(t, server);
  const first = openPane(t, place);
  await first.sees(/Type a message/);
  first.enter('hello');
  const [id = ''] = /\d{8}_\d{6}_[0-9a-f]{6}/.exec(await first.sees(/first answer/)) ?? [];
  const second = openPane(t, place, ['-r', id]);
  await second.sees(/→ 1 yes, wait/);
  second.keys('Enter');
  await second.sees(/is sent as soon as the conversation is free/);
  second.enter('then this');
  await second.sees(/Queued for the next turn: then this/);
  first.enter('/quit');
  assert.equal(await first.ended(), 0);
  await second.sees(/second answer/);
  second.enter('/quit');
  assert.equal(await second.ended(), 0);
});
