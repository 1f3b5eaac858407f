/** Two whole gateways: one has the chats, the API server of the other one has the agent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../fakes/free-port.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { gatewayPlace, until } from '../process/support.ts';

const key = 'k-of-the-other-0123456789';
const dm = { chatId: '1001', threadId: null };

test('a chat of one gateway is answered by the tools of the other, also after either was killed', async (t) => {
  await using model = await startModelServer();
  await using nobody = await startModelServer();
  const port = await freePort();
  const far = await gatewayPlace(t, model, {
    dotenv: `TELEGRAM_ALLOWED_USERS=1001\nAPI_SERVER_ENABLED=true\nAPI_SERVER_KEY=${key}\nAPI_SERVER_PORT=${port}\n`,
  });
  const near = await gatewayPlace(t, nobody, {
    dotenv: `TELEGRAM_ALLOWED_USERS=1001\nGATEWAY_PROXY_KEY=${key}\n`,
    config: `gateway:\n  proxy_url: http://127.0.0.1:${port}\n`,
  });
  let other = far.run();
  let here = near.run();
  await Promise.all([far.inState(other, 'running'), near.inState(here, 'running')]);

  model.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command: 'echo from-afar' } }] },
    { text: 'Done there.' },
  );
  await near.telegram.write({ in: dm, text: 'look' });
  await until(() => near.texts().includes('Done there.'), here);
  assert.match(JSON.stringify(model.lastRequest.body.messages.at(-1)), /from-afar/);

  const never = Promise.withResolvers<void>();
  model.enqueue({ text: 'lost', gate: never.promise }, { text: 'Once more.' });
  await near.telegram.write({ in: dm, text: 'again' });
  const cut = await model.requestArrived(3);
  here.child.kill('SIGKILL');
  await here.ended;
  assert.equal(await cut.closed, true, 'the other one gave up its turn');
  here = near.run();
  await until(() => near.texts().includes('Once more.'), here);

  model.enqueue({ text: 'lost as well', gate: never.promise }, { text: 'Back again.' });
  await near.telegram.write({ in: dm, text: 'and now' });
  await model.requestArrived(5);
  other.child.kill('SIGKILL');
  await other.ended;
  await until(() => near.texts().some((text) => text.startsWith('⚠️ Proxy error (127.0.0.1')), here);
  await near.telegram.write({ in: dm, text: 'is nobody there?' });
  await until(() => near.texts().filter((text) => text.startsWith('⚠️ Proxy error (127.0.0.1')).length === 2, here);
  other = far.run();
  await far.inState(other, 'running');
  await near.telegram.write({ in: dm, text: 'and now?' });
  await until(() => near.texts().includes('Back again.'), here);

  never.resolve();
  assert.equal(nobody.requests.length, 0, 'no model is asked where the chats are');
  assert.ok(!near.read('logs/gateway.log').includes(key));
});

test('a gateway with a key and no address says so, and one with a wrong address does not start', async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'From here.' }) });
  const place = await gatewayPlace(t, model, { dotenv: `TELEGRAM_ALLOWED_USERS=1001\nGATEWAY_PROXY_KEY=${key}\n` });
  const gateway = place.run();
  await place.inState(gateway, 'running');
  await place.telegram.write({ in: dm, text: 'hi' });
  await until(() => place.texts().includes('From here.'), gateway);
  gateway.child.kill('SIGTERM');
  const { stdout, stderr } = await gateway.ended;
  assert.match(stdout + stderr, /GATEWAY_PROXY_KEY is set but no GATEWAY_PROXY_URL/);
  const refused = await place.run([], { GATEWAY_PROXY_URL: 'far-away:8642' }).ended;
  assert.equal(refused.code, 78);
  assert.match(refused.stderr, /gateway\.proxy_url \(GATEWAY_PROXY_URL\) is no address of an API server/);
  assert.ok(!`${stdout}${stderr}${refused.stdout}${refused.stderr}`.includes(key));
});
