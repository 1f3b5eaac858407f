/** Pictures and videos through the tool gateway of the vendor, in the formats of FAL and Krea. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionMedia } from '../../../src/runtime/session-media.ts';
import { chosenService } from '../../../src/tools/making/chosen-service.ts';
import { videoProviders } from '../../../src/tools/making/videos/catalogue.ts';
import { type JsonAnswer, type JsonRequest, type Routes } from '../../fakes/json-server.ts';
import {
  patience,
  subscribed,
  directKey,
  type HomeOptions,
  homeWith,
  noSubscription,
  toPortal,
  drawn,
} from './gateway-home.ts';

const made: JsonAnswer = {
  body: { images: [{ url: 'https://files.example/a.png' }], video: { url: 'https://files.example/a.mp4' } },
};
const job = 'fal-ai/flux-2/requests/job1';
const film = 'fal-ai/pixverse/requests/job2';
const begun =
  (path: string, id: string) =>
  (request: JsonRequest): JsonAnswer => {
    const root = `http://${request.headers.host}/${path}`;
    return { body: { request_id: id, status_url: `${root}/status`, response_url: root } };
  };
const fal: Routes = Object.fromEntries(
  ['FAL_QUEUE', 'own'].flatMap((at) => [
    [`POST /${at}/fal-ai/flux-2/klein/9b`, begun(`${at}/${job}`, 'job1')],
    [`POST /${at}/fal-ai/pixverse/v6/text-to-video`, begun(`${at}/${film}`, 'job2')],
    ...[job, film].flatMap((path) => [
      [`GET /${at}/${path}/status`, { body: { status: 'COMPLETED' } }],
      [`GET /${at}/${path}`, made],
    ]),
  ]),
);
const krea: Routes = {
  'POST /KREA/generate/image/krea/krea-2/medium': { body: { job_id: 'j' } },
  'GET /KREA/jobs/j': { body: { status: 'completed', result: { urls: ['https://files.example/k.png'] } } },
};

test('FAL makes pictures through the gateway, each paid for once', async (t) => {
  const wanted = { image_gen: { use_gateway: true } };
  const { picture, server, token, name } = await drawn(
    t,
    { claims: {}, config: wanted, env: { FAL_KEY: directKey }, routes: fal },
    '/own',
  );
  assert.deepEqual(picture, { url: 'https://files.example/a.png' });
  assert.equal(name, 'FAL through Nous Portal');
  assert.deepEqual(
    server.requests.map(({ method, path, headers }) => `${method} ${path} ${headers.authorization ?? ''}`),
    ['POST /FAL_QUEUE/fal-ai/flux-2/klein/9b', `GET /FAL_QUEUE/${job}/status`, `GET /FAL_QUEUE/${job}`].map(
      (line) => `${line} Key ${token}`,
    ),
  );
  assert.match(String(server.requests[0]?.headers['x-idempotency-key']), /^[\da-f-]{36}$/);
  assert.ok(!JSON.stringify(server.requests).includes(directKey));
});

test('FAL is asked with the key of the owner, and through the gateway where there is none', async (t) => {
  const direct = await drawn(t, { claims: subscribed, env: { FAL_KEY: directKey }, routes: fal }, '/own');
  assert.deepEqual(direct.picture, { url: 'https://files.example/a.png' });
  assert.equal(direct.server.requests[0]?.headers.authorization, `Key ${directKey}`);
  const none = await drawn(t, { claims: { tool_access: { enabled: true, coverage: { fal: true } } }, routes: fal });
  assert.equal(none.server.requests[0]?.headers.authorization, `Key ${none.token}`);
  const over = await drawn(t, {
    claims: subscribed,
    routes: { 'POST /FAL_QUEUE/fal-ai/flux-2/klein/9b': noSubscription },
  });
  assert.match(JSON.stringify(over.picture), toPortal);
});

test('Krea makes pictures through the gateway', async (t) => {
  const { picture, server, token } = await drawn(t, {
    claims: {},
    config: { image_gen: { provider: 'krea', use_gateway: true } },
    env: { KREA_API_KEY: directKey },
    routes: krea,
  });
  assert.deepEqual(picture, { url: 'https://files.example/k.png' });
  assert.deepEqual(
    server.requests.map(({ path, headers }) => [path, headers.authorization]),
    ['/KREA/generate/image/krea/krea-2/medium', '/KREA/jobs/j'].map((path) => [path, `Bearer ${token}`]),
  );
});

test('FAL makes videos through the gateway where the subscription has them', async (t) => {
  const filmed = async (options: HomeOptions) => {
    const place = await homeWith(t, { ...options, routes: fal });
    const chosen = chosenService(videoProviders, place.parts.config.config.video_gen, sessionMedia(place.parts), {
      thing: 'video',
      ofEnvironment: () => undefined,
    });
    const asked = { prompt: 'p', model: 'pixverse-v6', isModelAsked: false, references: [] } as const;
    const shape = { ratio: '16:9', resolution: '720p' } as const;
    const video = await chosen?.provider.make({ ...asked, ...shape }, chosen.service, patience());
    return { ...place, url: video?.url, keys: place.server.requests.map(({ headers }) => headers.authorization) };
  };
  const { url, keys, token } = await filmed({
    claims: {},
    config: { video_gen: { use_gateway: true } },
    env: { FAL_KEY: directKey },
  });
  assert.equal(url, 'https://files.example/a.mp4');
  assert.deepEqual([...new Set(keys)], [`Key ${token}`]);
  const pool = { tool_access: { enabled: true, coverage: { fal: true, 'fal-video': false } } };
  assert.equal((await filmed({ claims: pool })).url, undefined);
});
