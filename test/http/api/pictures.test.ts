/** Pictures that answers name, for clients that cannot open files of this machine. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as z from 'zod';
import { openMedia } from '../../../src/gateway/media/open-media.ts';
import { textOf } from '../../runtime/support.ts';
import { eventsOf, jsonOf, startApi } from './support.ts';

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const address = `data:image/png;base64,${png.toString('base64')}`;
const chat = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })) });

async function startWith(t: TestContext, answerOf: (folder: string) => string) {
  let folder = '';
  const api = await startApi(t, {
    respond: () => ({ text: answerOf(folder) }),
    media: (program) => {
      const media = openMedia(program);
      return (text) => media.inlinePictures(text);
    },
  });
  folder = join(api.place.homePath, 'cache', 'images');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'a.png'), png);
  writeFileSync(join(folder, 'large.png'), Buffer.alloc(5 * 1024 * 1024 + 1));
  writeFileSync(join(folder, 'a.pdf'), '%PDF');
  writeFileSync(join(api.place.homePath, 'keys.png'), png);
  return api;
}

const said = async (response: Response | Promise<Response>) =>
  (await jsonOf(response, chat)).choices[0]?.message.content;
const body = { messages: [{ role: 'user', content: 'draw' }] };

test('a picture that may be sent stands in the answer, and what else is named stays text', async (t) => {
  const rest = (folder: string) =>
    `MEDIA:${folder}/a.pdf MEDIA:${folder}/large.png MEDIA:${folder}/gone.png MEDIA:${folder}/../../keys.png`;
  const { post, place } = await startWith(
    t,
    (folder) => `Here:\nMEDIA:${folder}/a.png\n${rest(folder)} \`MEDIA:/x.png\``,
  );
  const answer = await said(post('/v1/chat/completions', body));
  const folder = join(place.homePath, 'cache', 'images');
  assert.equal(answer, `Here:\n![image](${address})\n${rest(folder)} \`MEDIA:/x.png\``);
});

test('the other interfaces show it too, and what is stored names the file', async (t) => {
  const { post, ask } = await startWith(t, (folder) => `MEDIA:${folder}/a.png`);
  const shown = `![image](${address})`;
  const item = z.object({
    id: z.string(),
    output: z.array(z.object({ content: z.array(z.object({ text: z.string() })) })),
  });
  const response = await jsonOf(post('/v1/responses', { input: 'draw' }), item);
  assert.equal(response.output[0]?.content[0]?.text, shown);
  assert.match(await (await ask(`/v1/responses/${response.id}`)).text(), /MEDIA:/);
  await post('/api/sessions', { id: 's' });
  const message = z.object({ message: z.object({ content: z.string() }) });
  assert.equal((await jsonOf(post('/api/sessions/s/chat', { message: 'draw' }), message)).message.content, shown);
  const events = await eventsOf(await post('/api/sessions/s/chat/stream', { message: 'again' }));
  const completed = events.find(({ event }) => event === 'assistant.completed');
  assert.equal(z.object({ content: z.string() }).parse(JSON.parse(completed?.data ?? '')).content, shown);
  assert.match(await (await ask('/api/sessions/s/messages')).text(), /MEDIA:/);
});

test('a client that sends such an answer back does not have the model read the letters of a picture', async (t) => {
  const { post, model } = await startWith(t, () => 'nice');
  const before = { role: 'assistant', content: `Look: ![image](${address}) and ![image](${address})` };
  const parts = { role: 'assistant', content: [{ type: 'text', text: `![image](${address})` }] };
  const messages = [
    { role: 'user', content: 'draw' },
    before,
    { role: 'user', content: 'more' },
    parts,
    ...body.messages,
  ];
  await said(post('/v1/chat/completions', { messages }));
  const sent = (model.requests[0]?.body.messages ?? []).map(textOf);
  assert.ok(
    sent.some((text) => text.includes('Look: [image] and [image]')),
    sent.join('\n'),
  );
  assert.ok(!sent.some((text) => text.includes('base64')));
});
