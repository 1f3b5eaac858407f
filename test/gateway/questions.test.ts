/** Questions of the agent in chats: pressed, answered with a number or in words, not answered, cut off by a restart. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type ModelServer, startModelServer, type Step } from '../fakes/model-server.ts';
import { textOf } from '../runtime/support.ts';
import { ChatService } from './chat-service.ts';
import { type OpenOptions, openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  busy_ack_enabled: false\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';

const asks = (question: string, choices: readonly string[] = []): Step => ({
  toolCalls: [{ name: 'clarify', arguments: { question, ...(choices.length === 0 ? {} : { choices: [...choices] }) } }],
});

const alice = {
  platform: 'fake',
  chat_id: 'c1',
  chat_name: null,
  chat_type: 'dm',
  user_id: 'alice',
  user_name: 'alice',
  thread_id: null,
  chat_topic: null,
} as const;

async function open(t: TestContext, server: ModelServer, options: OpenOptions = {}) {
  const opened = await openGateway(t, server, { config: quiet, ...options });
  const { fake } = opened;
  const said = async (text: RegExp): Promise<void> =>
    await fake.until(() => fake.texts().some((each) => text.test(each)));
  /** What the model read as the person's answer. */
  const heard = (): unknown => {
    const result = server.lastRequest.body.messages.findLast(({ role }) => role === 'tool');
    const read: Record<string, unknown> = JSON.parse(textOf(result));
    return read['user_response'];
  };
  return { ...opened, said, heard };
}

test('without buttons a question is answered with a number or in words of one’s own', async (t) => {
  await using server = await startModelServer({ strict: true });
  const { fake, said, heard } = await open(t, server);
  for (const [answer, response] of [
    ['2', 'production'],
    ['on my *laptop*', 'on my *laptop*'],
    ['7', '7'],
  ] as const) {
    server.enqueue(asks('Where to?', ['staging', 'production']), { text: `Thanks for ${answer}.` });
    await fake.say('ship it');
    await fake.until(() => fake.texts().at(-1)?.startsWith('❓') === true);
    assert.equal(
      fake.texts().at(-1),
      '❓ Where to?\n\n1. staging\n2. production\n\nAnswer with a number, or in your own words.',
    );
    await fake.say(answer);
    await fake.until(() => fake.texts().includes(`Thanks for ${answer}.`));
    assert.equal(heard(), response);
  }
  server.enqueue(asks('What name?'), { text: 'A good name.' });
  await fake.say('name it');
  await said(/^❓ What name\?\n\nAnswer with your next message\.$/);
  await fake.say('Ada');
  await said(/^A good name\.$/);
  assert.equal(heard(), 'Ada');
});

test('a button answers with the whole choice, and what was chosen takes the place of the buttons', async (t) => {
  await using server = await startModelServer({ strict: true });
  const fake = new ChatService({ buttons: true });
  const { said, heard } = await open(t, server, { fake });
  const long = `production, ${'which everybody sees, '.repeat(4)}at once`;
  server.enqueue(asks('Where to?', ['staging', long]), { text: 'Shipped.' });
  await fake.say('ship it');
  await fake.until(() => fake.prompts.length === 1);
  const [prompt] = fake.prompts;
  assert.equal(prompt?.text, `❓ Where to?\n\n1. staging\n2. ${long}`);
  assert.equal(prompt.options.length, 3);
  const press = async (user: string) =>
    await fake.host.press({
      promptId: prompt.id,
      optionId: prompt.options[1] ?? '',
      source: { ...alice, user_id: user },
    });
  assert.equal((await press('eve')).as, 'denied');
  assert.equal((await press('alice')).as, 'done');
  await said(/^Shipped\.$/);
  assert.equal(heard(), long);
  assert.equal(fake.messages[0]?.text, `✅ ${long}`);
  assert.equal((await press('alice')).as, 'stale');
});

test('where the platform lets everybody press, somebody else may answer', async (t) => {
  await using server = await startModelServer({ strict: true });
  const fake = new ChatService({ buttons: 'for anybody' });
  const { said, heard } = await open(t, server, { fake });
  server.enqueue(asks('Where to?', ['staging', 'production']), { text: 'Shipped.' });
  await fake.say('ship it');
  await fake.until(() => fake.prompts.length === 1);
  const [prompt] = fake.prompts;
  const source = { ...alice, user_id: 'bob' };
  await fake.host.press({ promptId: prompt?.id ?? '', optionId: prompt?.options[1] ?? '', source });
  await said(/^Shipped\.$/);
  assert.equal(heard(), 'production');
});

test('the last button asks for words, and the next message is the answer', async (t) => {
  await using server = await startModelServer({ strict: true });
  const fake = new ChatService({ buttons: true });
  const { said, heard } = await open(t, server, { fake });
  server.enqueue(asks('Where to?', ['staging', 'production']), { text: 'Shipped.' });
  await fake.say('ship it');
  await fake.until(() => fake.prompts.length === 1);
  const [prompt] = fake.prompts;
  assert.equal(prompt?.text, '❓ Where to?', 'what stands on the buttons is not said twice');
  await fake.host.press({ promptId: prompt.id, optionId: prompt.options.at(-1) ?? '', source: alice });
  await said(/^❓ Where to\?\n\nAnswer with your next message\.$/);
  await fake.say('2');
  await said(/^Shipped\.$/);
  assert.equal(heard(), '2');
});

test('whoever does not answer in time lets the agent decide, and a late number is told to be late', async (t) => {
  await using server = await startModelServer({ strict: true });
  const { fake, said, heard } = await open(t, server, { config: `${quiet}agent:\n  clarify_timeout: 1\n` });
  server.enqueue(asks('Where to?', ['staging', 'production']), { text: 'I took staging.' });
  await fake.say('ship it');
  await said(/^I took staging\.$/);
  assert.match(String(heard()), /^\[No answer came in time\./);
  await said(/^⌛ Not answered\.$/);
  await fake.say('2');
  await said(/^⌛ That answer came too late, and nothing came of it:[\s\S]*Where to\?/);
});

test('a question that a restart cut off is told to have lapsed, to the chat and to the model', async (t) => {
  await using server = await startModelServer({ strict: true });
  const fake = new ChatService({ buttons: true });
  const first = await open(t, server, { fake });
  server.enqueue(asks('Where to?', ['staging', 'production']));
  await fake.say('ship it');
  await fake.until(() => fake.prompts.length === 1);
  await first.close();
  server.enqueue({ text: 'You were away; where shall it go?' });
  const second = await open(t, server, { fake, place: first.place });
  await second.said(/^⌛ I was restarted before you answered, so nothing came of it:\n\n❓ Where to\?$/);
  await second.said(/^You were away/);
  assert.match(String(second.heard()), /^\[Interrupted before the user answered/);
  await fake.until(() => fake.messages[0]?.text.startsWith('⌛ Not answered before') === true);
  const [prompt] = fake.prompts;
  const late = await fake.host.press({
    promptId: prompt?.id ?? '',
    optionId: prompt?.options[0] ?? '',
    source: alice,
  });
  assert.equal(late.as, 'stale');
});
