/** `/background` in the terminal: a task beside the conversation, whose result is shown once. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { openConversation } from './conversation.ts';

const until = async (reached: () => boolean): Promise<void> => {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 5));
};
const kept = (home: string): string[] => {
  const folder = join(home, 'cli', 'background');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
};
const idOf = (told: string): string => /Task ID: (bg_\d{6}_[0-9a-f]{6})$/m.exec(told)?.[1] ?? 'none';

test('the result of a background task is shown once, and the conversation knows nothing of it', async (t) => {
  const { promise: counted, resolve: count } = Promise.withResolvers<void>();
  await using server = await startModelServer({
    respond: async ({ rawBody }) => {
      if (!rawBody.includes('count the stars')) return { text: 'yes' };
      await counted;
      return { text: 'octillions' };
    },
  });
  const chat = await openConversation(t, server);
  await chat.say('hello');
  const told = await chat.type('/bg count the stars');
  assert.match(told, /^🔄 Background task #1 started: "count the stars"$/m);
  const id = idOf(told);
  assert.equal(await chat.say('are you there?'), 'yes', 'the conversation goes on meanwhile');
  assert.match(await chat.type('/agents'), new RegExp(`Background tasks:\n {2}#1 ${id} \\(.*\\): count the stars`));
  assert.deepEqual(kept(chat.homePath), [`${id}.json`]);
  count();
  await until(() => chat.tasks.list().length === 0);
  assert.deepEqual(chat.shown, [
    { id, number: 1, prompt: 'count the stars', end: { completed: true, text: 'octillions' } },
  ]);
  assert.deepEqual(kept(chat.homePath), []);
  await chat.say('and now?');
  assert.doesNotMatch(server.requests.at(-1)?.rawBody ?? '', /stars|octillions/);
  assert.equal((await chat.store.sessions.get(id))?.end_reason, 'background_done');
  assert.match(await chat.type('/background'), /^Usage: \/background <prompt>$/);
});

test('it has the model, the effort and the manner of the conversation it is started in', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'done' }) });
  const chat = await openConversation(t, server);
  await chat.session.model.switch('another-model');
  chat.session.prompt.extra = 'Speak like a pirate.';
  await chat.type('/btw look');
  await until(() => chat.shown.length === 1);
  const { rawBody } = server.lastRequest;
  assert.match(rawBody, /"model":"another-model"/);
  assert.match(rawBody, /Speak like a pirate/);
});

test('one that fails says why, one that is stopped keeps what it said', async (t) => {
  await using server = await startModelServer({
    respond: ({ rawBody }) => (rawBody.includes('zebra') ? { fault: 'hang' } : { fault: 'status', status: 401 }),
  });
  const chat = await openConversation(t, server);
  await chat.type('/background fail');
  await until(() => chat.shown.length === 1);
  assert.equal(chat.shown[0]?.end?.completed, false);
  const id = idOf(await chat.type('/background zebra'));
  await chat.type('/background zebra too');
  await until(() => server.requests.filter(({ rawBody }) => rawBody.includes('zebra')).length === 2);
  assert.equal(await chat.type(`/agents kill ${id}`), `Stopped ${id}.`);
  await until(() => chat.shown.length === 2);
  assert.deepEqual(chat.shown[1]?.end, { completed: false, text: 'It was stopped.' });
  assert.equal(await chat.type('/stop'), 'Stopped 1 background task.');
  await until(() => chat.shown.length === 3);
  assert.match(await chat.type(`/agents kill ${id}`), /^Nothing called bg_/);
});

test('a new conversation leaves it at work, and its result is shown there', async (t) => {
  const { promise: counted, resolve: count } = Promise.withResolvers<void>();
  await using server = await startModelServer({
    async respond({ rawBody }) {
      if (rawBody.includes('count the stars')) await counted;
      return { text: 'octillions' };
    },
  });
  const chat = await openConversation(t, server);
  const before = chat.session.id;
  await chat.type('/bg count the stars');
  await chat.type('/new now');
  assert.notEqual(chat.session.id, before);
  assert.equal(chat.tasks.list().length, 1);
  count();
  await until(() => chat.shown.length === 1);
  assert.equal(chat.shown[0]?.end?.text, 'octillions');
  assert.deepEqual(chat.session.agent.history, []);
});

test('no more than eight work at a time, and leaving stops them', async (t) => {
  await using server = await startModelServer({ respond: () => ({ fault: 'hang' }) });
  const chat = await openConversation(t, server);
  for (let n = 1; n <= 8; n += 1) await chat.type(`/background task ${n}`);
  await assert.rejects(chat.type('/background task 9'), /8 background tasks are at work already/);
  assert.equal((await chat.tasks.close()).length, 8);
  assert.deepEqual(chat.shown, [], 'whoever leaves is told by name, not one by one');
  assert.deepEqual(kept(chat.homePath), []);
});

test('what a terminal that was killed left is shown by the next one, once; that of a living one stays', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  const folder = join(chat.homePath, 'cli', 'background');
  mkdirSync(folder, { recursive: true });
  const left = (id: string, more: object): void =>
    writeFileSync(join(folder, `${id}.json`), JSON.stringify({ id, number: 1, prompt: 'p', ...more }));
  const { ownProcess } = await import('../../src/sessions/process-identity.ts');
  const living = ownProcess();
  // The same process id, started at another time.
  const dead = { ...living, start: 'before' };
  left('bg_000001_aaaaaa', { owner: dead, end: { completed: true, text: 'many' } });
  left('bg_000002_bbbbbb', { owner: dead });
  left('bg_000003_cccccc', { owner: living });
  writeFileSync(join(folder, 'bg_000004_dddddd.json'), '{"id":');
  await Promise.all([chat.tasks.recover(), chat.tasks.recover()]);
  assert.deepEqual(
    chat.shown.map(({ id, end }) => [id, end?.text]),
    [
      ['bg_000001_aaaaaa', 'many'],
      ['bg_000002_bbbbbb', undefined],
    ],
  );
  assert.deepEqual(kept(chat.homePath), ['bg_000003_cccccc.json']);
});
