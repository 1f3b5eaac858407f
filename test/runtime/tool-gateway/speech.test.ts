/** Speech in both directions through the tool gateway of the vendor, in the format of OpenAI. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { speechInput } from '../../../src/config/speech-input.ts';
import { transcribe } from '../../../src/speech/transcribe.ts';
import { Connections } from '../../../src/lib/connections.ts';
import { speechAccess } from '../../../src/runtime/speech-access.ts';
import { toolGateway } from '../../../src/runtime/tool-gateway.ts';
import { type Routes } from '../../fakes/json-server.ts';
import {
  subscribed,
  directKey,
  type HomeOptions,
  homeWith,
  sent,
  noSubscription,
  toPortal,
  openai,
  spoken,
} from './gateway-home.ts';

const speech: Routes = { 'POST /OPENAI_AUDIO/v1/audio/speech': { body: Buffer.from('sound') } };
test('OpenAI speaks through the gateway, with the one model that it has there', async (t) => {
  const { said, server, token, masked } = await spoken(t, {
    claims: {},
    config: { tts: { ...openai, use_gateway: true } },
    env: { VOICE_TOOLS_OPENAI_KEY: directKey },
    routes: speech,
  });
  assert.equal(said, 'sound');
  assert.deepEqual(server.requests.map(sent), [
    {
      asked: 'POST /OPENAI_AUDIO/v1/audio/speech',
      key: `Bearer ${token}`,
      body: { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello.', response_format: 'mp3' },
    },
  ]);
  assert.deepEqual(masked, [token]);
});

test("a key for speech, or a server of one's own, goes before the gateway; without any, it speaks", async (t) => {
  const place = await homeWith(t, { claims: subscribed, config: { tts: openai }, env: { OPENAI_API_KEY: directKey } });
  const { output } = speechAccess(place.parts);
  assert.ok(output.kind === 'speaker');
  const { key, baseUrl, gateway } = output.speaker;
  assert.deepEqual([key, baseUrl, gateway], [directKey, 'https://api.openai.com/v1', undefined]);
  const own = { tts: { provider: 'openai', openai: { base_url: 'http://localhost:1/v1' } } };
  const elsewhere = speechAccess((await homeWith(t, { claims: subscribed, config: own })).parts).output;
  assert.ok(elsewhere.kind === 'speaker');
  assert.deepEqual([elsewhere.speaker.baseUrl, elsewhere.speaker.gateway], ['http://localhost:1/v1', undefined]);
  const none = await spoken(t, { claims: subscribed, config: { tts: openai }, routes: speech });
  assert.equal(none.said, 'sound');
  const over = await spoken(t, {
    claims: subscribed,
    config: { tts: openai },
    routes: { 'POST /OPENAI_AUDIO/v1/audio/speech': noSubscription },
  });
  assert.match(over.said, toPortal);
});

test('voice messages are heard through the gateway where nothing else is set up', async (t) => {
  const heard = async (options: HomeOptions) => {
    const place = await homeWith(t, options);
    const { config, env } = place.parts;
    const input = speechInput(config, env, () => false, { gateway: toolGateway(place.parts) });
    if (input.kind !== 'service') return { ...place, input, text: input.kind };
    const path = join(place.parts.home.path, 'a.ogg');
    writeFileSync(path, 'sound');
    const access = { connections: new Connections(), programs: () => ({}), login: () => Promise.resolve(undefined) };
    const text = await transcribe(path, input, access, t.signal).catch((error: Error) => error.message);
    return { ...place, input, text };
  };
  const route = 'POST /OPENAI_AUDIO/v1/audio/transcriptions';
  const { text, server, token } = await heard({ claims: subscribed, routes: { [route]: { body: { text: 'hello' } } } });
  assert.equal(text, 'hello');
  assert.equal(server.requests[0]?.headers.authorization, `Bearer ${token}`);
  assert.match((await heard({ claims: subscribed, routes: { [route]: noSubscription } })).text, toPortal);
  assert.equal((await heard({ claims: {} })).text, 'none');
  const { parts } = await homeWith(t, { claims: subscribed, env: { OPENAI_API_KEY: directKey } });
  const direct = speechInput(parts.config, parts.env, () => false, { gateway: toolGateway(parts) });
  assert.ok(direct.kind === 'service');
  assert.deepEqual([direct.service.key, direct.service.gateway], [directKey, undefined]);
});
