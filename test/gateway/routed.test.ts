/** Chats of one profile's bot that another profile answers in: `profile_routes`. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import type { Guests } from '../../src/gateway/lending.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { allRoutes } from '../sessions/chat-support.ts';
import { placeFor } from '../runtime/support.ts';
import { ChatService } from './chat-service.ts';
import { openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';

/** Two homes in one process: the chat c2 of the first one's bot is answered by `coder`, which has no bot. */
async function openBoth(
  t: TestContext,
  before: (guest: Gateway['program']) => Promise<unknown> = () => Promise.resolve(),
) {
  const [ours, theirs] = await Promise.all([
    startModelServer({ respond: () => ({ text: 'from default' }) }),
    startModelServer({ respond: () => ({ text: 'from coder' }) }),
  ]);
  t.after(() => Promise.all([ours.close(), theirs.close()]));
  const opened: { guest?: Gateway; lender?: Gateway } = {};
  const guests: Guests = {
    find: ({ chat_id: chat }) => {
      if (chat === 'gone') return Promise.reject(new UserError('coder cannot be reached just now'));
      return chat === 'c2' ? Promise.resolve(opened.guest) : undefined;
    },
    get open() {
      return opened.guest === undefined ? [] : [opened.guest];
    },
  };
  const place = placeFor(t, theirs, quiet);
  const program = await place.open();
  await before(program);
  await program.close();
  const host = await openGateway(t, ours, {
    config: quiet,
    guests,
    authorization: {
      admit: ({ source }) => Promise.resolve(source.user_id === 'mallory' ? { as: 'stranger' } : { as: 'allowed' }),
      mayRun: () => true,
      tierOf: ({ user_id: user }) => ({ tier: user === 'boss' ? 'admin' : 'user' }),
    },
  });
  opened.lender = host.gateway;
  const guest = await openGateway(t, theirs, {
    place,
    fake: new ChatService(),
    platforms: [],
    profile: 'coder',
    lender: () => opened.lender,
    // Nobody has been let in there.
    authorization: {
      admit: () => Promise.resolve({ as: 'stranger' }),
      mayRun: () => false,
      tierOf: () => ({ tier: 'user' }),
    },
  });
  opened.guest = guest.gateway;
  return { host, guest, fake: host.fake, ours, theirs };
}

test('a chat is answered by the profile that it is routed to, through the bot that it came through', async (t) => {
  const { host, guest, fake } = await openBoth(t);
  assert.equal(await fake.say('hi', { chat: 'c1' }), 'accepted');
  assert.equal(await fake.say('hi', { chat: 'c2' }), 'accepted');
  await fake.until(() => fake.texts('c1').length === 1 && fake.texts('c2').length === 1);
  assert.deepEqual([fake.texts('c1'), fake.texts('c2')], [['from default'], ['from coder']]);
  assert.deepEqual([...(await allRoutes(host.gateway.routing)).keys()], ['agent:main:fake:dm:c1']);
  const [route] = (await allRoutes(guest.gateway.routing)).values();
  assert.equal(route?.session_key, 'agent:coder:fake:dm:c2');
  assert.equal(route.origin?.['profile'], 'coder');
  assert.ok(fake.typing.includes('c2'));
});

test('the owner of the bot says who may write, and who may do what', async (t) => {
  const { guest, fake, theirs } = await openBoth(t);
  assert.equal(await fake.say('let me in', { chat: 'c2', user: 'mallory' }), 'ignored');
  const source = (user: string) => ({
    platform: 'fake',
    chat_id: 'c2',
    chat_name: null,
    chat_type: 'dm' as const,
    user_id: user,
    user_name: null,
    thread_id: null,
    chat_topic: null,
  });
  assert.equal(guest.gateway.authorization.tierOf(source('boss')).tier, 'admin');
  assert.equal(guest.gateway.authorization.tierOf({ ...source('boss'), platform: 'other' }).tier, 'user');
  assert.equal(theirs.requests.length, 0);
  assert.deepEqual(fake.texts('c2'), []);
});

test('where the other profile cannot be had the message is refused aloud, and nobody else answers it', async (t) => {
  const { fake, ours } = await openBoth(t);
  assert.equal(await fake.say('hi', { chat: 'gone', user: 'mallory' }), 'ignored');
  assert.equal(await fake.say('hi', { chat: 'gone' }), 'refused');
  await fake.until(() => fake.texts('gone').length === 1);
  assert.deepEqual(fake.texts('gone'), ['coder cannot be reached just now']);
  assert.equal(ours.requests.length, 0);
});

test('what the other profile still has to say goes out when it is open, and when the bot is connected again', async (t) => {
  const row = { sessionKey: 'agent:coder:fake:dm:c2', platform: 'fake', chatId: 'c2', threadId: null, details: '{}' };
  const { guest, fake } = await openBoth(t, async ({ store }) => {
    await store?.outbox.add({ ...row, id: 'before', content: 'left from before' });
  });
  await fake.until(() => fake.texts('c2').includes('left from before'));
  await guest.gateway.program.store?.outbox.add({ ...row, id: 'later', content: 'left meanwhile' });
  guest.gateway.connectedElsewhere('fake');
  await fake.until(() => fake.texts('c2').includes('left meanwhile'));
});
