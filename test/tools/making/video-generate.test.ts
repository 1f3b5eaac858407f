/** `video_generate` in a conversation, over the wire formats of the services that make videos. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as z from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { servicesKey, startPictureServices } from '../../fakes/picture-services.ts';
import { makePng } from '../../fakes/pictures.ts';
import { chatAt, placeFor } from '../../runtime/support.ts';

const picture = makePng(12, 8);
const shown = `data:image/png;base64,${picture.toString('base64')}`;
const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\n';
const env = { FAL_KEY: servicesKey, XAI_API_KEY: servicesKey, DEEPINFRA_API_KEY: servicesKey };
const resultSchema = z.looseObject({ success: z.boolean(), video: z.string().nullable() });

async function start(t: TestContext, provider: string, looks = 1, more: JsonObject = {}) {
  const [server, fakes] = await Promise.all([startModelServer(), startPictureServices(t, { looks })]);
  t.after(() => server.close());
  const settings = { provider, ...more, [provider]: { base_url: `${fakes.url}/${provider}` } };
  const config = `security:\n  allow_private_urls: true\nvideo_gen: ${JSON.stringify(settings)}\n${quiet}`;
  const place = placeFor(t, server, config, { env });
  writeFileSync(join(place.work, 'a.png'), picture);
  const chat = await chatAt(place, { toolsets: ['video_gen'], present: true });
  const make = async (args: JsonObject, name = 'video_generate') => {
    server.enqueue({ toolCalls: [{ name, arguments: { prompt: 'waves', ...args } }] }, { text: 'Done.' });
    await chat.say('film');
    const result = chat.session.agent.history.findLast(({ role }) => role === 'tool');
    return resultSchema.parse(JSON.parse(typeof result?.content === 'string' ? result.content : ''));
  };
  return { server, place, fakes, make };
}

test('FAL animates a picture at the endpoint for pictures, at most as long as the model can, and the video is kept', async (t) => {
  const { server, place, fakes, make } = await start(t, 'fal', 2);
  const made = await make({ image_url: 'a.png', duration: 60, negative_prompt: 'rain', audio: true });
  assert.ok(made.video?.startsWith(join(place.homePath, 'cache', 'videos', 'made_')), JSON.stringify(made));
  assert.equal(readFileSync(made.video ?? '', 'utf8'), 'a video');
  assert.deepEqual(
    [made['model'], made['modality'], made['aspect_ratio'], made['duration'], made['provider']],
    ['pixverse-v6', 'image', '16:9', 15, 'fal'],
  );
  assert.deepEqual(fakes.calls[0]?.path, '/fal/fal-ai/pixverse/v6/image-to-video');
  assert.deepEqual(fakes.calls[0]?.body, {
    prompt: 'waves',
    image_url: shown,
    resolution: '720p',
    duration: '15',
    generate_audio: true,
    negative_prompt: 'rain',
  });
  const tool = server.lastRequest.body.tools?.[0]?.function;
  assert.match(tool?.description ?? '', /Length: 1-15 s\./);
  await make({ model: 'kling-v3-4k', image_url: 'a.png', aspect_ratio: '9:16' });
  assert.deepEqual(fakes.call('/fal/fal-ai/kling-video/v3/4k/image-to-video')?.body, {
    prompt: 'waves',
    start_image_url: shown,
    aspect_ratio: '9:16',
  });
});

test('xAI takes one model for words and another one for a picture, and says how long the video became', async (t) => {
  const { fakes, make } = await start(t, 'xai', 2);
  const made = await make({ resolution: '1080p' });
  assert.deepEqual([made.success, made['model'], made['duration']], [true, 'grok-imagine-video', 7]);
  assert.deepEqual(fakes.calls[0]?.body, {
    model: 'grok-imagine-video',
    prompt: 'waves',
    duration: 8,
    aspect_ratio: '16:9',
    resolution: '720p',
  });
  const moving = await make({ image_url: 'a.png' });
  assert.deepEqual([moving['model'], moving['modality']], ['grok-imagine-video-1.5', 'image']);
  const both = await make({ image_url: 'a.png', reference_image_urls: ['a.png'] });
  assert.deepEqual([both.success, both['error_type']], [false, 'modality_unsupported']);
});

test('xAI changes a video that it made, and makes it longer; nobody else is offered that', async (t) => {
  const { fakes, make, server, place } = await start(t, 'xai');
  const first = await make({});
  assert.equal(first['public_url'], `${fakes.url}/files/x.mp4`);
  const video_url = 'https://files.x.ai/x.mp4';
  const edited = await make({ video_url }, 'xai_video_edit');
  assert.ok(edited.video?.startsWith(join(place.homePath, 'cache', 'videos', 'made_')), JSON.stringify(edited));
  assert.deepEqual([edited['modality'], edited['duration'], edited['model']], ['edit', 7, 'grok-imagine-video']);
  assert.deepEqual(fakes.call('/xai/videos/edits')?.body, {
    model: 'grok-imagine-video',
    prompt: 'waves',
    video: { url: video_url },
  });
  await make({ video_url, duration: 60 }, 'xai_video_extend');
  assert.equal(fakes.call('/xai/videos/extensions')?.body['duration'], 10);
  const before = fakes.calls.length;
  assert.match(String((await make({ video_url: 'a.mp4' }, 'xai_video_edit'))['error']), /must be an https address/);
  assert.equal(fakes.calls.length, before);
  assert.equal(server.lastRequest.body.tools?.length, 3);
  const other = await start(t, 'fal');
  await other.make({});
  assert.equal(other.server.lastRequest.body.tools?.length, 1);
});

test('DeepInfra is asked which of its models makes videos, unless one is named, and makes them as long as it can', async (t) => {
  const { server, place, fakes, make } = await start(t, 'deepinfra', 2);
  const made = await make({ image_url: 'a.png', duration: 60, negative_prompt: 'rain', audio: true, seed: 7 });
  assert.ok(made.video?.startsWith(join(place.homePath, 'cache', 'videos', 'made_')), JSON.stringify(made));
  assert.deepEqual(
    [made['model'], made['modality'], made['duration'], made['provider']],
    ['a/filmer', 'image', 10, 'deepinfra'],
  );
  assert.deepEqual(fakes.call('/deepinfra/videos')?.body, {
    model: 'a/filmer',
    prompt: 'waves',
    seconds: '10',
    size: '720p',
    aspect_ratio: '16:9',
    image_url: shown,
    negative_prompt: 'rain',
    seed: 7,
  });
  assert.match(server.lastRequest.body.tools?.[0]?.function.description ?? '', /Length: 1-10 s, without sound\./);
  const named = await start(t, 'deepinfra', 1, { model: 'b/mine' });
  const plain = await named.make({ aspect_ratio: '3:2', resolution: '540p' });
  assert.deepEqual([plain.success, plain['duration']], [true, 0]);
  assert.deepEqual(named.fakes.calls[0]?.body, { model: 'b/mine', prompt: 'waves' });
  const failed = await named.make({ model: 'b/broken' });
  assert.deepEqual([failed.success, failed.video, failed['error_type']], [false, null, 'api_error']);
  assert.match(String(failed['error']), /^DeepInfra did not make it: no such scene\.$/);
});

test('a model that the service does not have, and more pictures than it takes, are refused before anything is sent', async (t) => {
  const { fakes, make } = await start(t, 'fal');
  assert.match(String((await make({ model: 'sora' }))['error']), /FAL has no model sora\. It has: pixverse-v6, /);
  assert.match(String((await make({ reference_image_urls: ['a.png'] }))['error']), /takes no reference_image_urls/);
  assert.deepEqual(fakes.calls, []);
});
