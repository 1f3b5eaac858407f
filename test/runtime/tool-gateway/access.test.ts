/** Who may use the tool gateway of the vendor, where it is, and what its token is kept from. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GatewayUse, gatewayVariables, type Way, wayTo } from '../../../src/config/tool-gateway.ts';
import { fetchOver } from '../../../src/lib/fetch-over.ts';
import { absentToolsets } from '../../../src/runtime/absent-toolsets.ts';
import { configuredCloud } from '../../../src/runtime/configured-cloud.ts';
import { sessionWeb } from '../../../src/runtime/session-web.ts';
import { toolGateway } from '../../../src/runtime/tool-gateway.ts';
import { type JsonAnswer, type Routes, startJsonServer } from '../../fakes/json-server.ts';
import {
  patience,
  subscribed,
  directKey,
  tokenWith,
  homeWith,
  openai,
  searched,
  drawn,
  spoken,
  lent,
} from './gateway-home.ts';

test('a gateway that redirects is not followed: the token goes nowhere else', async (t) => {
  const other = await startJsonServer();
  t.after(() => other[Symbol.asyncDispose]());
  const away: JsonAnswer = { status: 307, headers: { location: `${other.url}/` } };
  const routes: Routes = {
    'POST /FIRECRAWL/v2/search': away,
    'POST /FAL_QUEUE/fal-ai/flux-2/klein/9b': away,
    'POST /OPENAI_AUDIO/v1/audio/speech': away,
    'POST /BROWSER_USE/browsers': away,
  };
  const options = { claims: subscribed, config: { tts: { provider: 'openai' } }, routes };
  assert.match((await searched(t, options)).result.error ?? '', /redirects/);
  assert.match(JSON.stringify((await drawn(t, options)).picture), /status 307/);
  assert.match((await spoken(t, options)).said, /status 307/);
  assert.match(String((await lent(t, options)).told), /redirects/);
  assert.deepEqual(other.requests, []);
});

test('nobody who never logged in notices anything', async (t) => {
  const { parts } = await homeWith(t, { config: { tts: openai } });
  assert.equal(parts.models.settings.stored, undefined);
  const gateway = toolGateway(parts);
  assert.equal(gateway.hasToken(), false);
  assert.deepEqual(
    absentToolsets(parts.config.config, parts.env, { gateway }),
    absentToolsets(parts.config.config, parts.env),
  );
  assert.equal(sessionWeb(parts).firecrawl.kind, 'none');
  assert.equal(configuredCloud(parts, fetchOver({})), undefined);
});

const uses: readonly GatewayUse[] = ['firecrawl', 'fal', 'fal-video', 'krea', 'openai-audio', 'browser-use'];
const kindOf = (way: Way): string => way.kind;

test('a login without a subscription is used where the owner wants it, and nowhere by itself', async (t) => {
  const { parts } = await homeWith(t, { claims: { paid_access: false } });
  const gateway = toolGateway(parts);
  const ways = (isWanted: boolean, hasOwn: boolean) => [
    ...new Set(uses.map((use) => kindOf(wayTo(use, { isWanted, hasOwn }, gateway)))),
  ];
  assert.deepEqual([ways(true, true), ways(true, false)], [['gateway'], ['gateway']]);
  assert.deepEqual([ways(false, true), ways(false, false)], [['direct'], ['none']]);
  assert.deepEqual(absentToolsets(parts.config.config, parts.env, { gateway }).includes('image_gen'), true);
});

test('a subscription brings the tools that it includes, and no others', async (t) => {
  const making = async (claims: object) => {
    const { parts } = await homeWith(t, { claims });
    const absent = absentToolsets(parts.config.config, parts.env, { gateway: toolGateway(parts) });
    return ['image_gen', 'video_gen'].filter((toolset) => !absent.includes(toolset));
  };
  assert.deepEqual(await making(subscribed), ['image_gen', 'video_gen']);
  assert.deepEqual(await making({ tool_access: { enabled: true, coverage: { fal: true } } }), ['image_gen']);
  assert.deepEqual(await making({ tool_access: { enabled: false, coverage: { fal: true } } }), []);
});

test('who wants the gateway and is not logged in is told so; the key of the owner is not sent instead', async (t) => {
  const env = { FIRECRAWL_API_KEY: directKey, FAL_KEY: directKey, OPENAI_API_KEY: directKey };
  const wanted = { use_gateway: true };
  const config = { web: wanted, image_gen: wanted, tts: { ...openai, ...wanted }, browser: wanted };
  assert.match((await searched(t, { config, env })).result.error ?? '', /nobody is logged in.*hermes auth add nous/);
  assert.equal((await drawn(t, { config, env })).name, undefined);
  assert.match((await spoken(t, { config, env })).said, /nobody is logged in; log in with `hermes auth add nous`/);
});

test('TOOL_GATEWAY_USER_TOKEN goes before the login, and is told apart when it is refused', async (t) => {
  const { parts, masked } = await homeWith(t, { claims: {}, env: { TOOL_GATEWAY_USER_TOKEN: ' token-of-mine ' } });
  const door = toolGateway(parts).door('krea');
  assert.equal(await door.token(patience()), 'token-of-mine');
  assert.deepEqual(masked, ['token-of-mine']);
  assert.match(door.refusal(401, '') ?? '', /\(status 401\)\. Renew .* or correct TOOL_GATEWAY_USER_TOKEN\.$/);
  assert.equal(door.refusal(500, 'x'), undefined);
});

test('a login that an older version left is taken over, and one that has ended says how to log in', async (t) => {
  const token = tokenWith(subscribed);
  const left = { providers: { nous: { access_token: token, refresh_token: 'r', expires_at: '2096-01-01T00:00:00Z' } } };
  const { parts } = await homeWith(t, { logins: left });
  const gateway = toolGateway(parts);
  assert.equal(gateway.covers('firecrawl'), true);
  assert.equal(await gateway.door('firecrawl').token(patience()), token);
  const ended = {
    id: 'l',
    label: 'mine',
    source: 'device_code',
    auth_type: 'oauth',
    access_token: token,
    last_status: 'dead',
  };
  const lost = toolGateway((await homeWith(t, { logins: { credential_pool: { nous: [ended] } } })).parts);
  assert.equal(lost.hasToken(), false);
  await assert.rejects(lost.door('krea').token(patience()), /The login 'mine' of nous has ended.*hermes auth add nous/);
});

test('the variables say where a vendor is', () => {
  const at = (env: Record<string, string>, use: GatewayUse = 'fal-video') => gatewayVariables(env).address(use);
  assert.equal(at({}), 'https://fal-queue-gateway.nousresearch.com');
  assert.equal(
    at({ TOOL_GATEWAY_DOMAIN: '/tools.example/', TOOL_GATEWAY_SCHEME: ' HTTP ' }, 'browser-use'),
    'http://browser-use-gateway.tools.example',
  );
  assert.equal(
    at({ OPENAI_AUDIO_GATEWAY_URL: 'http://127.0.0.1:3000/x//' }, 'openai-audio'),
    'http://127.0.0.1:3000/x',
  );
  assert.throws(() => at({ TOOL_GATEWAY_SCHEME: 'ftp' }), /TOOL_GATEWAY_SCHEME must be http or https/);
  assert.throws(() => at({ FAL_QUEUE_GATEWAY_URL: 'file:///etc' }), /FAL_QUEUE_GATEWAY_URL does not make an address/);
  assert.throws(() => at({ TOOL_GATEWAY_DOMAIN: 'me@evil.example' }), /TOOL_GATEWAY_DOMAIN/);
});

test('a variable that is wrong is told when something is asked, not at the start', async (t) => {
  const { said } = await spoken(t, {
    claims: subscribed,
    config: { tts: openai },
    env: { OPENAI_AUDIO_GATEWAY_URL: '', TOOL_GATEWAY_SCHEME: 'ftp' },
  });
  assert.match(said, /TOOL_GATEWAY_SCHEME must be http or https/);
});
