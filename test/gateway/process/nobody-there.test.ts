/** A whole gateway in whose runs nobody can be asked: what a server or a dangerous command would want a person for is declined. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { freePort } from '../../fakes/free-port.ts';
import { type ModelServer, type Step, startModelServer } from '../../fakes/model-server.ts';
import { fakeEntry } from '../../mcp/support.ts';
import { textOf } from '../../runtime/support.ts';
import { gatewayPlace, until } from './support.ts';

const key = 'a-key-that-is-long-enough-0123456789';
const asks: Step = {
  toolCalls: [
    {
      name: 'mcp__s__ask',
      arguments: {
        method: 'elicitation/create',
        params: { message: 'May I?', requestedSchema: { type: 'object', properties: {} } },
      },
    },
    { name: 'terminal', arguments: { command: 'rm -rf /opt/everything && chmod -R 777 /opt' } },
  ],
};

/** `jobs` are there when it begins. */
async function opened(t: TestContext, jobs: readonly object[] = []) {
  const model = await startModelServer({
    respond: ({ body }) => (body.messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : asks),
  });
  t.after(() => model[Symbol.asyncDispose]());
  const port = await freePort();
  const servers = { s: fakeEntry({ tools: [{ name: 'ask' }] }) };
  const place = await gatewayPlace(t, model, {
    config: `mcp_discovery_timeout: 60\nmcp_servers: ${JSON.stringify(servers)}\n`,
    dotenv: `TELEGRAM_ALLOWED_USERS=1001\nAPI_SERVER_ENABLED=true\nAPI_SERVER_KEY=${key}\nAPI_SERVER_PORT=${port}\n`,
  });
  place.write('cron/jobs.json', JSON.stringify({ jobs }));
  const gateway = place.run();
  await place.inState(gateway, 'running');
  return { model, port, place, gateway };
}

/** What both calls came to, as the model read it. */
function assertDeclined(model: ModelServer): void {
  const results = model.lastRequest.body.messages.filter(({ role }) => role === 'tool').map(textOf);
  assert.equal(results.length, 2);
  assert.match(results[0] ?? '', /action\W+decline/);
  assert.match(results[1] ?? '', /BLOCKED.*nobody can be asked/);
}

test('a request of the API has nobody who could be asked: the question of a server is declined, the command is not run', async (t) => {
  const { model, port } = await opened(t);
  const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'hermes-agent', messages: [{ role: 'user', content: 'go' }] }),
  });
  assert.match(await answer.text(), /Done\./);
  assertDeclined(model);
});

test('neither has a scheduled job, also where its result goes to a chat', async (t) => {
  const schedule = { kind: 'interval', minutes: 60, display: 'every 60m' };
  const due = { next_run_at: '2026-01-01T00:00:00+00:00', deliver: 'telegram:1001' };
  const { model, place, gateway } = await opened(t, [
    { id: 'aaaabbbbcccc', name: 'job', prompt: 'go', schedule, ...due },
  ]);
  await until(() => place.texts().some((text) => text.includes('Done.')), gateway);
  assertDeclined(model);
  assert.ok(!place.texts().some((text) => text.includes('May I?')), 'nobody in the chat is asked');
});
