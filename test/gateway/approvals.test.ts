/** Approvals in chats without buttons: which words answer a question, which do not, and which question they answer. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ApprovalAnswer, ApprovalRequest } from '../../src/agent/human.ts';
import { ChatHuman } from '../../src/gateway/chats/chat-human.ts';
import { PromptDesk } from '../../src/gateway/chats/prompt-desk.ts';
import type { MessageEvent } from '../../src/gateway/platform/message-event.ts';
import { noLog } from '../../src/lib/log.ts';
import type { ChatQuestions } from '../../src/sessions/chat-questions.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
const removal = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r src' } }] };

test('/deny refuses what waits, and /approve session lets it run and asks no more', async (t) => {
  await using server = await startModelServer();
  const { fake, place } = await openGateway(t, server, { config: quiet });
  const questions = () => fake.texts().filter((text) => text.includes('Approval needed'));
  place.put('src/a', '');
  server.enqueue(removal, { text: 'Kept.' });
  await fake.say('tidy up');
  await fake.until(() => questions().length === 1);
  assert.match(questions()[0] ?? '', /rm -r src[\s\S]*Answer \/approve, \/approve session, \/approve always, \/deny\./);
  await fake.say('/deny it holds my thesis');
  await fake.until(() => fake.texts().includes('Kept.'));
  assert.match(server.lastRequest.rawBody, /the user denied it and said .{1,4}it holds my thesis/);
  assert.ok(existsSync(join(place.work, 'src')));
  server.enqueue(removal, { text: 'Gone.' }, removal, { text: 'Gone again.' });
  await fake.say('really');
  await fake.until(() => questions().length === 2);
  await fake.say('/approve session');
  await fake.until(() => fake.texts().includes('Gone.'));
  assert.ok(!existsSync(join(place.work, 'src')));
  place.put('src/a', '');
  await fake.say('once more');
  await fake.until(() => fake.texts().includes('Gone again.'));
  assert.ok(!existsSync(join(place.work, 'src')));
  assert.equal(questions().length, 2);
});

const plain: ApprovalRequest = {
  tool: 'terminal',
  command: 'rm -r src',
  reasons: ['recursive delete'],
  keys: ['recursive delete'],
  mayRemember: true,
  sources: [],
};

const noRecords: ChatQuestions = {
  add: () => Promise.resolve(),
  shown: () => Promise.resolve(),
  lapse: () => Promise.resolve(),
  end: () => Promise.resolve(),
  kept: () => Promise.resolve([]),
};

/** A chat in which questions can be asked at once, by `ann` unless another is named. */
function aChat() {
  const clock = { now: () => 0 };
  const desk = new PromptDesk({
    records: noRecords,
    clock,
    log: noLog,
    mask: (text) => text,
    connection: () => undefined,
    say: () => Promise.resolve(),
    mayAnswerForOthers: () => false,
  });
  const from = (person: string): MessageEvent['source'] => ({
    platform: 'fake',
    chat_id: 'c1',
    chat_name: null,
    chat_type: 'group',
    user_id: person,
    user_name: person,
    thread_id: null,
    chat_topic: null,
  });
  const answers: (ApprovalAnswer | undefined)[] = [];
  const stop = new AbortController();
  const ask = (request: Partial<ApprovalRequest> = {}, person = 'ann'): void => {
    const event: MessageEvent = {
      event_id: 'e1',
      source: from(person),
      text: 'go on',
      message_type: 'text',
      message_id: 'm1',
      timestamp: 0,
      attachments: [],
    };
    const wait = { approvalMs: 600_000, clarifyMs: 600_000 };
    const human = new ChatHuman({ sessionKey: 's', desk, ...wait, current: () => event });
    const at = answers.push(undefined) - 1;
    void human.approve({ ...plain, ...request }, stop.signal).then((choice) => (answers[at] = choice));
  };
  const claim = (text: string, person = 'ann') => {
    const claimed = desk.claim('s', { source: from(person), text, sentAt: 1 });
    if (claimed?.as === 'answer') claimed.give(true);
    else claimed?.told();
    return claimed?.as;
  };
  const say = async (text: string, person = 'ann'): Promise<boolean> => {
    const heard = claim(text, person) === 'answer';
    await new Promise((resolve) => setImmediate(resolve));
    return heard;
  };
  return { answers, ask, say, claim, end: () => stop.abort() };
}

const words: Readonly<Record<string, readonly string[]>> = {
  once: [
    'approve',
    'Yes',
    'ok',
    'okay',
    'confirm',
    ' y ',
    '👍',
    '/approve',
    '/approve all',
    '/Approve@our_bot',
    'once',
  ],
  session: [
    'session',
    'approve session',
    'session approve',
    '/approve session',
    '/approve ses',
    '/approve all session',
    '/approve@our_bot  Session',
  ],
  always: [
    'always',
    'Approve always',
    'always approve',
    '/approve always',
    '/approve permanent',
    '/approve permanently',
  ],
  deny: ['deny', 'no', 'reject', 'cancel', 'n', '👎', '/deny', '/deny all', '/DENY@our_bot'],
};

for (const [choice, texts] of Object.entries(words)) {
  test(`words for ${choice}`, async () => {
    for (const text of texts) {
      const { answers, ask, say } = aChat();
      ask();
      assert.ok(await say(text), text);
      assert.deepEqual(answers, [choice], text);
    }
  });
}

test('what stands behind /deny is the reason, as it was written, and no longer than a line or two', async () => {
  const reasons: readonly (readonly [typed: string, reason: string])[] = [
    ['/deny it is Mine', 'it is Mine'],
    ['/deny all it is — all — mine', 'it is — all — mine'],
    ['/deny@our_bot  alligators live there', 'alligators live there'],
    [`/deny ${'x'.repeat(300)}`, 'x'.repeat(280)],
  ];
  for (const [typed, reason] of reasons) {
    const { answers, ask, say } = aChat();
    ask();
    assert.ok(await say(typed), typed);
    assert.deepEqual(answers, [{ deny: reason }], typed);
  }
});

test('who stopped a turn with other words means those with the next yes; who was interrupted by others does not know', async () => {
  for (const [first, as] of [
    ['use lib instead', undefined],
    [undefined, 'late'],
  ] as const) {
    const { ask, say, claim, end } = aChat();
    ask();
    if (first !== undefined) assert.ok(!(await say(first)));
    end();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(claim('yes', 'eve'), undefined);
    assert.equal(claim('yes'), as);
    assert.equal(claim('yes'), undefined, 'it is told once');
  }
});

test('what is not an answer as a whole is a message like any other', async () => {
  const { answers, ask, say, end } = aChat();
  ask();
  for (const text of [
    'go',
    'yes please',
    'ok, always',
    'approve it',
    '/approve nonsense',
    'all',
    'deny all',
    '/denying',
  ])
    assert.ok(!(await say(text)), text);
  assert.ok(!(await say('yes', 'eve')), 'of somebody else');
  assert.deepEqual(answers, [undefined]);
  end();
});

test('who wants more than is offered gets the most that is', async () => {
  const { answers, ask, say } = aChat();
  ask({ mayRemember: false });
  await say('always');
  ask({ mayRemember: false, smartDenied: true });
  await say('/approve session');
  assert.deepEqual(answers, ['session', 'once']);
});

test('of several questions a word answers the oldest of that person, and all of them where it says so', async () => {
  const { answers, ask, say } = aChat();
  ask();
  ask();
  ask({}, 'bob');
  await say('no');
  assert.deepEqual(answers, ['deny', undefined, undefined]);
  ask();
  await say('/approve all session');
  assert.deepEqual(answers, ['deny', 'session', undefined, 'session']);
  await say('/deny all', 'bob');
  assert.deepEqual(answers, ['deny', 'session', 'deny', 'session']);
});
