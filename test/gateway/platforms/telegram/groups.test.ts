import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { entitiesOf, forum, friend, group, openTelegram, signal } from './open-telegram.ts';

const robot = { id: 900, is_bot: true, first_name: 'Robot', username: 'fake_robot_bot' };
const other = { id: 901, is_bot: true, first_name: 'Other', username: 'other_bot' };
const own = { message_id: 1, date: 1, chat: group, from: robot, text: 'mine' };

/** What becomes of a text in a group: the text that is heard, `observed: …`, or undefined. */
async function listener(t: TestContext, block: Readonly<Record<string, unknown>>) {
  const { adapter, hear } = await openTelegram(t, block);
  await adapter.connect(signal());
  return async (text: string, fields: Readonly<Record<string, unknown>> = {}): Promise<string | undefined> => {
    const event = await hear({ chat: group, text, entities: entitiesOf(text), ...fields });
    return event?.observed === true ? `observed: ${event.text}` : event?.text;
  };
}

test('who must call the bot does so by name, by command, by answering it, or by a pattern', async (t) => {
  const say = await listener(t, { require_mention: true, mention_patterns: ['\\brobot\\b'] });
  assert.equal(await say('hello'), undefined);
  assert.equal(await say('@fake_robot_bot, hello'), 'hello');
  assert.equal(await say('hello @Fake_Robot_Bot and all'), 'hello and all');
  assert.equal(await say('/status@fake_robot_bot now'), '/status now');
  assert.equal(await say('/status'), undefined);
  assert.equal(await say('yes', { reply_to_message: own }), 'yes');
  assert.equal(await say('yes', { reply_to_message: { ...own, from: friend } }), undefined);
  assert.equal(await say('dear Robot'), 'dear Robot');
  assert.equal(
    await say('dear you', { entities: [{ type: 'text_mention', offset: 5, length: 3, user: robot }] }),
    'dear',
  );
});

test('a caption calls the bot as well as a text', async (t) => {
  const { adapter, hear } = await openTelegram(t, { require_mention: true });
  await adapter.connect(signal());
  const caption = '@fake_robot_bot what is this?';
  const photo = [{ file_id: 'a' }];
  const event = await hear({ chat: group, photo, caption, caption_entities: entitiesOf(caption) });
  assert.equal(event?.text, 'what is this?');
  assert.equal(await hear({ chat: group, photo, caption: 'what is this?' }), undefined);
});

test('what is said to other bots alone is theirs, even in answer to ours', async (t) => {
  const say = await listener(t, { require_mention: false });
  assert.equal(await say('@other_bot @third_bot yes', { reply_to_message: own }), undefined);
  assert.equal(await say('@other_bot and @fake_robot_bot'), '@other_bot and');
  assert.equal(await say('@some_person yes'), '@some_person yes');
  assert.equal(await say('/start@other_bot'), undefined);
  const both = await listener(t, { exclusive_bot_mentions: false });
  assert.equal(await both('@other_bot yes'), '@other_bot yes');
  assert.equal(await both('/start@other_bot'), undefined);
});

test('a group that is not allowed is left alone, unless a guest calls the bot by name each time', async (t) => {
  const say = await listener(t, { allowed_chats: [-1001] });
  assert.equal(await say('@fake_robot_bot hi'), undefined);
  const guest = await listener(t, { allowed_chats: [-1001], guest_mode: true });
  assert.equal(await guest('@fake_robot_bot hi'), 'hi');
  assert.equal(await guest('hi', { reply_to_message: own }), undefined);
  assert.equal(await guest('hi'), undefined);
});

test('topics can be allowed, free or left alone, and General is one of them', async (t) => {
  const inTopic = (id: number) => ({ chat: forum, message_thread_id: id, is_topic_message: true });
  const allowed = await listener(t, { allowed_topics: ['1', '-1001:7'] });
  assert.equal(await allowed('a', inTopic(7)), 'a');
  assert.equal(await allowed('b', inTopic(8)), undefined);
  assert.equal(await allowed('c', { chat: forum }), 'c');
  const free = await listener(t, { require_mention: true, free_response_topics: { '-1001': [7] } });
  assert.equal(await free('a', inTopic(7)), 'a');
  assert.equal(await free('b', inTopic(8)), undefined);
  const ignored = await listener(t, { ignored_threads: [7], free_response_chats: [-1001] });
  assert.equal(await ignored('@fake_robot_bot a', inTopic(7)), undefined);
  assert.equal(await ignored('b', inTopic(8)), 'b');
});

test('the message that opened a topic is no message that anybody answers', async (t) => {
  const say = await listener(t, { require_mention: true });
  const opened = { ...own, forum_topic_created: { name: 'Plans', icon_color: 1 } };
  const inTopic = { chat: forum, message_thread_id: 7, is_topic_message: true, reply_to_message: opened };
  assert.equal(await say('hello', inTopic), undefined);
});

test('what is not meant for the bot can be kept as context', async (t) => {
  for (const name of ['observe_unmentioned_group_messages', 'ingest_unmentioned_group_messages']) {
    const say = await listener(t, { require_mention: true, [name]: true });
    assert.equal(await say('hello'), 'observed: hello');
    assert.equal(await say('@fake_robot_bot hello'), 'hello');
    assert.equal(await say('@other_bot hello'), undefined);
  }
});

test('other bots are heard as far as they are let', async (t) => {
  for (const [allow_bots, plain, called] of [
    ['none', undefined, undefined],
    ['mentions', undefined, 'called'],
    ['all', 'plain', 'called'],
  ] as const) {
    const say = await listener(t, { allow_bots });
    assert.equal(await say('plain', { from: other }), plain, allow_bots);
    assert.equal(await say('@fake_robot_bot called', { from: other }), called, allow_bots);
  }
});

test('who speaks for a group or a channel has no id that anything could be granted to', async (t) => {
  const { adapter, hear } = await openTelegram(t);
  await adapter.connect(signal());
  const anonymous = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };
  const spoken = await hear({ chat: forum, from: anonymous, sender_chat: forum, text: 'hi', author_signature: 'boss' });
  assert.partialDeepStrictEqual(spoken?.source, { user_id: null, user_name: 'boss' });
  assert.equal(spoken?.from_bot, undefined);
  const channel = { id: -1009, type: 'channel', title: 'News' };
  const posted = await hear({
    kind: 'channel_post',
    chat: channel,
    sender_chat: channel,
    from: undefined,
    text: 'news',
  });
  assert.partialDeepStrictEqual(posted?.source, {
    chat_type: 'channel',
    chat_id: '-1009',
    user_id: null,
    user_name: 'News',
  });
});
