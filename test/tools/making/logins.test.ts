/** Who is logged in to a service has pictures and videos made by it without a key. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as z from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import { type JsonAnswer, type Routes, startJsonServer } from '../../fakes/json-server.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { madePicture } from '../../fakes/picture-services.ts';
import { makePng } from '../../fakes/pictures.ts';
import { chatAt, placeFor } from '../../runtime/support.ts';

const token = 'access-token-of-a-login-0001';
const login = {
  auth_type: 'oauth',
  id: 'a1b2c3',
  label: 'me',
  priority: 0,
  source: 'manual:oauth',
  access_token: token,
};
const base64 = madePicture.toString('base64');
const picture = makePng(12, 8);
const shown = `data:image/png;base64,${picture.toString('base64')}`;
const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\n';
const resultSchema = z.looseObject({ success: z.boolean(), image: z.string().nullish(), error: z.string().optional() });

/** What comes of a call, and how the service was asked; `provider` is who makes it, `account` whose login there is. */
async function start(
  t: TestContext,
  provider: string,
  account: string,
  routes: Routes,
  {
    env = {},
    own = {},
    more = {},
  }: { readonly env?: Record<string, string>; readonly own?: object; readonly more?: object } = {},
) {
  const [server, service] = await Promise.all([startModelServer(), startJsonServer(routes)]);
  t.after(async () => await Promise.all([server.close(), service[Symbol.asyncDispose]()]));
  const at = `${service.url}/v1`;
  const settings = JSON.stringify({ provider, [provider]: own }).replaceAll('{server}', at);
  const config = `security:\n  allow_private_urls: true\nimage_gen: ${settings}\n${quiet}`;
  const variables = { HERMES_XAI_BASE_URL: at, NOUS_INFERENCE_BASE_URL: at, HERMES_CODEX_BASE_URL: at, ...env };
  const place = placeFor(t, server, config, { env: variables });
  const stored = { ...login, expires_at: '2100-01-01T00:00:00.000Z', ...more };
  writeFileSync(
    join(place.homePath, 'auth.json'),
    JSON.stringify({ version: 1, credential_pool: { [account]: [stored] } }),
  );
  writeFileSync(join(place.work, 'a.png'), picture);
  const chat = await chatAt(place, { toolsets: ['image_gen'], present: true });
  const make = async (args: JsonObject) => {
    server.enqueue(
      { toolCalls: [{ name: 'image_generate', arguments: { prompt: 'a cat', ...args } }] },
      { text: 'Done.' },
    );
    await chat.say('draw');
    const result = chat.session.agent.history.findLast(({ role }) => role === 'tool');
    return resultSchema.parse(JSON.parse(typeof result?.content === 'string' ? result.content : '{"success":false}'));
  };
  const keys = () => service.requests.map(({ headers }) => headers.authorization);
  return { make, keys, requests: service.requests, server };
}

function drawn(result: { readonly image?: string | null | undefined }): void {
  assert.deepEqual(readFileSync(result.image ?? ''), madePicture, JSON.stringify(result));
}

test('a login of xAI draws, and goes before a key of the environment', async (t) => {
  const routes = { 'POST /v1/images/generations': { body: { data: [{ b64_json: base64 }] } } };
  const { make, keys } = await start(t, 'xai', 'xai-oauth', routes, { env: { XAI_API_KEY: 'xai-0123456789abcdef' } });
  drawn(await make({}));
  assert.deepEqual(keys(), [`Bearer ${token}`]);
});

test('an address that stands beside the service gets the key, never the login', async (t) => {
  const routes = { 'POST /v1/images/generations': { body: { data: [{ b64_json: base64 }] } } };
  const key = 'xai-0123456789abcdef';
  const keyed = await start(t, 'xai', 'xai-oauth', routes, {
    env: { XAI_API_KEY: key },
    own: { base_url: '{server}' },
  });
  drawn(await keyed.make({}));
  assert.deepEqual(keyed.keys(), [`Bearer ${key}`]);
});

test('Nous Portal draws on its subscription, in the words of OpenRouter', async (t) => {
  const message = { content: '', images: [{ image_url: { url: `data:image/png;base64,${base64}` } }] };
  const routes = { 'POST /v1/chat/completions': { body: { choices: [{ message }] } } };
  const { make, keys, requests } = await start(t, 'nous', 'nous', routes);
  const made = await make({ aspect_ratio: 'square' });
  drawn(made);
  assert.deepEqual([made['provider'], made['model']], ['nous', 'openai/gpt-5.4-image-2']);
  assert.deepEqual(keys(), [`Bearer ${token}`]);
  assert.deepEqual(JSON.parse(requests[0]?.body ?? '').modalities, ['image', 'text']);
});

function events(...told: readonly object[]): JsonAnswer {
  const body = told.map((one) => `event: x\ndata: ${JSON.stringify(one)}\n\n`).join('');
  return { headers: { 'content-type': 'text/event-stream' }, body };
}

test('a login of Codex draws by the tool of its models, and what is finished is taken', async (t) => {
  const answer = events(
    { type: 'response.image_generation_call.partial_image', partial_image_b64: 'AAAA' },
    { type: 'response.output_item.done', item: { type: 'image_generation_call', status: 'completed', result: base64 } },
    { type: 'response.completed', response: { output: [{ type: 'message' }] } },
  );
  const { make, keys, requests } = await start(t, 'openai-codex', 'openai-codex', { 'POST /v1/responses': answer });
  const made = await make({ image_url: 'a.png', aspect_ratio: 'portrait' });
  drawn(made);
  assert.deepEqual(
    [made['provider'], made['model'], made['modality']],
    ['openai-codex', 'gpt-image-2-medium', 'image'],
  );
  assert.deepEqual(keys(), [`Bearer ${token}`]);
  const { tools, input, stream, store } = JSON.parse(requests[0]?.body ?? '');
  assert.deepEqual([stream, store], [true, false]);
  assert.deepEqual(input[0].content, [
    { type: 'input_text', text: 'a cat' },
    { type: 'input_image', image_url: shown },
  ]);
  assert.deepEqual([tools[0].model, tools[0].quality, tools[0].size], ['gpt-image-2', 'medium', '1024x1536']);
});

test('an account of Codex without the tool, and a picture that was refused, are told in a line', async (t) => {
  const message = "Tool choice 'image_generation' not found in 'tools' parameter.";
  const without = { 'POST /v1/responses': { status: 400, body: { error: { message } } } };
  const bare = await (await start(t, 'openai-codex', 'openai-codex', without)).make({});
  assert.match(bare.error ?? '', /^This ChatGPT account makes no pictures\. Choose another image_gen\.provider/);
  const refused = events({ type: 'response.failed', response: { error: { message: 'not this one' } } });
  const told = await (await start(t, 'openai-codex', 'openai-codex', { 'POST /v1/responses': refused })).make({});
  assert.deepEqual([told['error_type'], told.error], ['api_error', 'OpenAI Codex made none: not this one']);
});
