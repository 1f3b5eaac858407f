/** Lists that commands open: models, conversations, personalities. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePlace } from '../hermes-process.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { noTmux, openBusyPane, openPane } from './tmux.ts';

const skip = noTmux;

test('/model lists what each provider is known to have, then what it says it has', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title', models: ['test-model', 'another-model'] });
  const env = { DEEPSEEK_API_KEY: 'sk-test-0123456789abcdef', DEEPSEEK_BASE_URL: 'http://127.0.0.1:9/v1' };
  const pane = openPane(t, makePlace(t, server), [], { env });
  await pane.sees(/Type a message/);
  pane.enter('/model');
  await pane.sees(/Model of this session[\s\S]*→ test-model .*current[\s\S]*Esc close/);
  pane.type('deepseek chat');
  await pane.sees(/→ deepseek-chat .*deepseek · .*\$.* in, \$.* out/);
  pane.keys('Escape');
  await pane.sees(/❯ \/model\s+─+\n❯\s*\n─/);
  assert.doesNotMatch(pane.screen(), /Esc close/);
  pane.enter('/model');
  await pane.sees(/Esc close/);
  pane.type('another');
  await pane.sees(/→ another-model +custom/);
  pane.keys('Enter');
  await pane.sees(/Model: another-model\s+Provider: custom/);
});

test('/resume lists conversations in a narrow window; they are renamed, deleted and gone on with', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'Made up' });
  const place = makePlace(t, server);
  const pane = openPane(t, place, [], { columns: 40 });
  await pane.sees(/Type a message/);
  for (const topic of ['apples', 'pears', 'plums']) {
    server.enqueue({ text: `Nice ${topic}.` });
    pane.enter(`about ${topic}`);
    await pane.sees(new RegExp(`Nice ${topic}`));
    pane.enter(`/title My ${topic}`);
    await pane.sees(new RegExp(`Title: My ${topic}`));
    if (topic !== 'plums') pane.enter('/new now');
    await pane.sees(/Type a message|session/i);
  }
  pane.enter('/resume');
  await pane.sees(/Conversations[\s\S]*My plums[\s\S]*My pears[\s\S]*My apples[\s\S]*\^R rename/);
  pane.type('pears');
  await pane.sees(/→ My pears\s+.*2 messages/);
  pane.keys('C-r');
  await pane.sees(/A new name for “My pears”/);
  pane.enter('Green pears');
  await pane.sees(/Renamed to “Green pears”[\s\S]*→ Green pears/);
  pane.type('apples');
  await pane.sees(/→ My apples/);
  pane.keys('C-x');
  await pane.sees(/Delete “My apples”[\s\S]*→ no, keep it/);
  pane.keys('Down', 'Enter');
  assert.doesNotMatch(await pane.sees(/Deleted “My apples”[\s\S]*Esc close/), /→ My apples/);
  pane.type('green');
  await pane.sees(/→ Green pears/);
  pane.keys('Enter');
  await pane.sees(/Previous Conversation[\s\S]*about pears/);
});

test('/personality marks the one in use and takes another', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('/personality');
  await pane.sees(/→ none \(current\)/);
  pane.type('pir');
  await pane.sees(/→ pirate/);
  pane.keys('Enter');
  await pane.sees(/Personality: pirate\./);
});

test('messages that wait are shown, taken back and deleted; Ctrl+R finds what was typed', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const pane = await openBusyPane(t, server);
  pane.enter('/queue first thing');
  pane.enter('/queue second thing');
  await pane.sees(/Queued for the next turn: second thing/);
  pane.enter('/queue');
  await pane.sees(/→ first thing\s+second thing/);
  pane.keys('C-x');
  await pane.sees(/change it\s+> type to search\s+→ second thing/);
  pane.keys('Enter');
  await pane.sees(/─\n❯ second thing\s*\n─/);
  pane.keys('C-r');
  await pane.sees(/What you typed before/);
  pane.type('first');
  await pane.sees(/→ \/queue first thing/);
  pane.keys('Enter');
  await pane.sees(/─\n❯ \/queue first thing\s*\n─/);
});
