/** `image_generate` in a conversation, over the wire formats of the services that make pictures. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as z from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { madePicture, servicesKey, startPictureServices } from '../../fakes/picture-services.ts';
import { makePng, pngChunk } from '../../fakes/pictures.ts';
import { chatAt, placeFor } from '../../runtime/support.ts';

const told = makePng(12, 8, { before: [pngChunk('tEXt', Buffer.from('Author\0SECRET'))] });
const shown = `data:image/png;base64,${makePng(12, 8).toString('base64')}`;
const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\n';
const resultSchema = z.looseObject({ success: z.boolean().optional(), image: z.string().nullish() });
const keys = ['FAL_KEY', 'OPENAI_API_KEY', 'XAI_API_KEY', 'KREA_API_KEY', 'OPENROUTER_API_KEY', 'DEEPINFRA_API_KEY'];
const env = Object.fromEntries(keys.map((name) => [name, servicesKey]));

async function start(
  t: TestContext,
  provider: string,
  model = '',
  services: Parameters<typeof startPictureServices>[1] = {},
) {
  const [server, fakes] = await Promise.all([startModelServer(), startPictureServices(t, services)]);
  t.after(() => server.close());
  const settings = {
    provider,
    ...(model === '' ? {} : { model }),
    [provider]: { base_url: `${fakes.url}/${provider}/` },
  };
  const config = `security:\n  allow_private_urls: true\nimage_gen: ${JSON.stringify(settings)}\n${quiet}`;
  const place = placeFor(t, server, config, { env });
  writeFileSync(join(place.work, 'a.png'), told);
  place.put('.env', 'KEY=1');
  const chat = await chatAt(place, { toolsets: ['image_gen'], present: true });
  const make = async (args: JsonObject) => {
    server.enqueue({ toolCalls: [{ name: 'image_generate', arguments: args }] }, { text: 'Done.' });
    await chat.say('draw');
    const result = chat.session.agent.history.findLast(({ role }) => role === 'tool');
    const text = typeof result?.content === 'string' ? result.content : '';
    return { made: resultSchema.parse(JSON.parse(text)), sources: result?.sources };
  };
  const description = () =>
    server.lastRequest.body.tools?.find(({ function: { name } }) => name === 'image_generate')?.function.description;
  return { server, place, chat, fakes, make, description };
}

test('FAL makes a picture in its queue with what its model takes, and it is kept before its address leads nowhere', async (t) => {
  const { fakes, place, make, description } = await start(t, 'fal', 'fal-ai/gpt-image-2', { looks: 2 });
  const { sources, made } = await make({ prompt: 'a cat', aspect_ratio: 'portrait' });
  const image = made.image ?? '';
  assert.ok(image.startsWith(join(place.homePath, 'cache', 'images', 'made_')), image);
  assert.deepEqual(readFileSync(image), madePicture);
  assert.deepEqual(made, {
    success: true,
    image,
    model: 'fal-ai/gpt-image-2',
    prompt: 'a cat',
    aspect_ratio: 'portrait',
    modality: 'text',
    provider: 'fal',
  });
  assert.deepEqual(sources, [{ from: 'tool', name: 'image_generate' }]);
  assert.deepEqual(fakes.calls[0], {
    method: 'POST',
    path: '/fal/fal-ai/gpt-image-2',
    authorization: `Key ${servicesKey}`,
    body: { quality: 'medium', num_images: 1, output_format: 'png', prompt: 'a cat', image_size: 'portrait_4_3' },
  });
  assert.match(description() ?? '', /up to 16 images/);
  await make({ prompt: 'with a hat', image_url: 'a.png', reference_image_urls: ['a.png'] });
  const edit = fakes.call('/fal/openai/gpt-image-2/edit')?.body;
  assert.deepEqual([edit?.['image_urls'], edit?.['image_size']], [[shown, shown], undefined]);
});

test('a model of FAL that changes no pictures says so, and nothing is sent', async (t) => {
  const { fakes, make, description } = await start(t, 'fal', 'fal-ai/z-image/turbo');
  const { made } = await make({ prompt: 'x', image_url: 'a.png' });
  assert.deepEqual([made.success, made['error_type']], [false, 'modality_unsupported']);
  assert.match(String(made['error']), /takes none\. Leave image_url out/);
  assert.deepEqual(fakes.calls, []);
  assert.match(description() ?? '', /new images only/);
});

test('a picture that cannot be made larger is given as it is; what fails else is told without the key', async (t) => {
  const kept = await start(t, 'fal', 'fal-ai/flux-2-pro', { fails: /upscaler/ });
  assert.equal((await kept.make({ prompt: 'x' })).made.success, true);
  assert.equal(kept.fakes.call('/fal/fal-ai/clarity-upscaler')?.body['image_url'], `${kept.fakes.url}/files/small.png`);
  const broken = await start(t, 'fal', '', { fails: /./ });
  const { made, sources } = await broken.make({ prompt: 'x' });
  assert.match(String(made['error']), /^FAL refused it \(status 500\): it broke, said/);
  assert.doesNotMatch(String(made['error']), new RegExp(servicesKey));
  assert.deepEqual(sources, [{ from: 'server', name: 'FAL' }]);
});

test('the other services are asked in their own words', async (t) => {
  const sent = async (provider: string, path: string, args: JsonObject, looks = 1) => {
    const { fakes, make } = await start(t, provider, '', { looks });
    const { made } = await make({ prompt: 'p', ...args });
    assert.deepEqual([made.success, made['provider']], [true, provider], JSON.stringify(made));
    assert.deepEqual(readFileSync(made.image ?? ''), madePicture);
    return { body: fakes.call(`/${provider}${path}`)?.body, model: made['model'] };
  };
  assert.deepEqual(await sent('openai', '/images/generations', {}), {
    body: { model: 'gpt-image-2', prompt: 'p', size: '1536x1024', quality: 'medium', n: 1 },
    model: 'gpt-image-2-medium',
  });
  const form = await sent('openai', '/images/edits', { image_url: 'a.png' });
  assert.deepEqual(
    [form.body?.['model'], form.body?.['image']],
    [['gpt-image-2'], [['image/png', makePng(12, 8).length]]],
  );
  assert.deepEqual((await sent('xai', '/images/generations', { aspect_ratio: 'square' })).body, {
    model: 'grok-imagine-image',
    prompt: 'p',
    aspect_ratio: '1:1',
    resolution: '1k',
  });
  assert.deepEqual((await sent('xai', '/images/edits', { image_url: 'a.png' })).body, {
    model: 'grok-imagine-image-quality',
    prompt: 'p',
    image: { url: shown, type: 'image_url' },
  });
  assert.deepEqual((await sent('krea', '/generate/image/krea/krea-2/medium', { image_url: 'a.png' }, 2)).body, {
    prompt: 'p',
    aspect_ratio: '16:9',
    resolution: '1K',
    creativity: 'medium',
    image_style_references: [{ url: shown, strength: 0.6 }],
  });
  const routed = await sent('openrouter', '/chat/completions', { image_url: 'a.png' });
  assert.deepEqual([routed.model, routed.body?.['modalities']], ['openai/gpt-5.4-image-2', ['image', 'text']]);
  assert.match(JSON.stringify(routed.body?.['messages']), new RegExp(shown.slice(0, 60)));
  assert.deepEqual(await sent('deepinfra', '/images/generations', {}), {
    body: { model: 'a/painter', prompt: 'p', size: '1536x1024', n: 1 },
    model: 'a/painter',
  });
});

test('a file that must not be read is not sent, and once text from outside has entered the person is asked', async (t) => {
  const { server, fakes, chat, make } = await start(t, 'openai');
  assert.match(String((await make({ prompt: 'x', image_url: '.env' })).made['error']), /Access denied/);
  assert.deepEqual(fakes.calls, []);
  assert.equal(chat.asked.length, 0);
  server.enqueue({ text: 'Seen.' });
  await chat.session.agent.runConversation({ content: 'a page', sources: [{ from: 'page', name: 'evil.test' }] });
  await make({ prompt: 'SECRET' });
  assert.match(chat.asked[0]?.command ?? '', /OpenAI: SECRET/);
  assert.deepEqual(fakes.calls, []);
});

test('without the key of the service that is chosen the tool is not there', async (t) => {
  const server = await startModelServer();
  t.after(() => server.close());
  const place = placeFor(t, server, quiet, { env: { OPENAI_API_KEY: servicesKey } });
  const chat = await chatAt(place, { toolsets: ['image_gen'] });
  server.enqueue({ text: 'Hello.' });
  await chat.say('hi');
  assert.deepEqual(server.lastRequest.body.tools ?? [], []);
});
