/** Which results are to stand in the history of their chat, and what of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromTelegram, startScheduler } from './support.ts';

const mirrors = { config: 'cron:\n  mirror_delivery: true\n' };

test('with cron.mirror_delivery the chat that made the job goes on with the bare answer, and no other chat does', async (t) => {
  const { desk, model, chats, after } = await startScheduler(t, mirrors);
  model.enqueue({ text: 'Rain at noon.' });
  const deliver = 'origin,matrix';
  await desk.create({ schedule: '30m', prompt: 'the weather', name: 'Weather', deliver }, fromTelegram);
  await after(30);
  const continued = new Map(chats.sent.map(({ to, message }) => [to.platform, message.continued]));
  assert.equal(continued.get('matrix'), undefined);
  const { sources, ...rest } = continued.get('telegram') ?? { sources: [] };
  assert.deepEqual(rest, { name: 'Weather', text: 'Rain at noon.', userId: '5' });
  assert.ok(sources.length > 0 && sources.every(({ from }) => from !== 'user'));
  assert.match(chats.texts[0] ?? '', /^Cronjob Response: Weather/);
});

test('by default no chat does; attach_to_session says otherwise for one job, either way', async (t) => {
  const wanted = async (config: string, attachToSession: boolean | undefined): Promise<boolean> => {
    const { desk, model, chats, after } = await startScheduler(t, { config });
    model.enqueue({ text: 'Rain.' });
    await desk.create({ schedule: '30m', prompt: 'x', attachToSession }, fromTelegram);
    await after(30);
    return chats.sent[0]?.message.continued !== undefined;
  };
  assert.equal(await wanted('', undefined), false);
  assert.equal(await wanted('', true), true);
  assert.equal(await wanted(mirrors.config, false), false);
});

test('what a script printed is not taken for the words of the agent', async (t) => {
  const { desk, put, chats, after } = await startScheduler(t, mirrors);
  put('scripts/news.mjs', 'console.log("from the network")');
  await desk.create({ schedule: '30m', script: 'news.mjs', noAgent: true }, fromTelegram);
  await after(30);
  assert.deepEqual(chats.sent[0]?.message.continued?.sources, [{ from: 'program', name: 'news.mjs' }]);
});

test('what the agent read on the way goes along with its answer', async (t) => {
  const { desk, put, model, chats, after } = await startScheduler(t, mirrors);
  put('scripts/news.mjs', 'console.log("from the network")');
  model.enqueue({ text: 'Nothing new.' });
  await desk.create({ schedule: '30m', script: 'news.mjs', prompt: 'the news' }, fromTelegram);
  await after(30);
  const { sources = [] } = chats.sent[0]?.message.continued ?? {};
  assert.ok(sources.some(({ from }) => from === 'program' || from === 'unknown'));
});
