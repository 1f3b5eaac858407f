/** `agent.coding_context`: in which sessions the model is told of the workspace, and which tools it has then. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { chatAt, type ChatOptions, placeFor } from './support.ts';

/** The system prompt and the names of the tools of a first request. */
async function firstRequest(
  t: TestContext,
  server: ModelServer,
  {
    files = { 'package.json': '{}' },
    config = '',
    ...options
  }: ChatOptions & { readonly files?: Readonly<Record<string, string>>; readonly config?: string } = {},
) {
  const place = placeFor(t, server, config);
  for (const [name, text] of Object.entries(files)) place.put(name, text);
  const chat = await chatAt(place, options);
  server.enqueue({ text: 'Hi.' });
  await chat.say('hi');
  const { body } = server.lastRequest;
  const prompt = JSON.stringify(body.messages.filter(({ role }) => role === 'system'));
  return {
    isTold: prompt.includes(`- Root: ${place.work}`),
    tools: (body.tools ?? []).map((tool) => tool.function.name),
  };
}

test('the workspace is told in a folder with code on this machine, and neither in an empty one nor in a chat', async (t) => {
  await using server = await startModelServer();
  assert.equal((await firstRequest(t, server)).isTold, true);
  assert.equal((await firstRequest(t, server, { files: {} })).isTold, false);
  assert.equal((await firstRequest(t, server, { surface: 'telegram' })).isTold, false);
  assert.equal((await firstRequest(t, server, { config: 'agent: {coding_context: "no"}\n' })).isTold, false);
  const on = { surface: 'telegram', config: 'agent: {coding_context: 1}\n' };
  assert.equal((await firstRequest(t, server, on)).isTold, true);
});

test('focus leaves the tools for code alone, unless others were named', async (t) => {
  await using server = await startModelServer();
  const coding = await firstRequest(t, server, { toolsets: ['coding'] });
  const config = 'agent: {coding_context: focus}\nplatform_toolsets: {cli: [memory]}\n';
  const focused = await firstRequest(t, server, { config });
  assert.ok(focused.isTold);
  assert.ok(focused.tools.includes('patch'), focused.tools.join(' '));
  assert.deepEqual(focused.tools, coding.tools, 'also where the platform has other tools');
  const named = await firstRequest(t, server, { config, toolsets: ['memory'] });
  assert.deepEqual(named.tools, ['memory']);
});
