/** `/moa`: one turn through a mixture of models. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { openConversation } from './conversation.ts';

const presets = `moa:
  default_preset: team
  presets:
    team:
      reference_models: [{provider: custom, model: view}]
      aggregator: {provider: custom, model: boss}
    other:
      reference_models: [{provider: custom, model: view}, {provider: custom, model: broken}]
      aggregator: {provider: custom, model: chief}
`;

test('one prompt goes through the usual mixture, then the model from before goes on', async (t) => {
  await using server = await startModelServer({ respond: ({ body }) => ({ text: `from ${body.model}` }) });
  const chat = await openConversation(t, server, presets);
  const said = await chat.type('/moa Which structure?');
  assert.match(said, /The mixture 'team' answers this one; then test-model goes on\./);
  assert.deepEqual(
    server.requests.map(({ body }) => body.model),
    ['view', 'boss'],
  );
  const { history } = chat.session.agent;
  assert.deepEqual(
    history.map(({ role, content }) => [role, content]),
    [
      ['user', 'Which structure?'],
      ['assistant', 'from boss'],
    ],
    'what the others said is nowhere in the conversation',
  );
  assert.equal(await chat.say('and now?'), 'from test-model');
  const report = await chat.store.usage.report({ since: 0 });
  const calls = Object.fromEntries(report.models.map((booked) => [booked.model, booked.calls]));
  assert.deepEqual(calls, { boss: 1, 'test-model': 1, view: 1 });
});

test('without a prompt it says how it is used; the name of a mixture alone switches to it', async (t) => {
  await using server = await startModelServer({
    respond: ({ body }) =>
      body.model === 'broken' ? { fault: 'status', status: 400 } : { text: `from ${body.model}` },
  });
  const chat = await openConversation(t, server, presets);
  assert.match(await chat.type('/moa'), /^Usage: \/moa <prompt> [^]*'team'[^]*: team, other$/);
  assert.match(await chat.type('/moa other'), /^Mixture of this session: other\. Back: \/model custom:test-model$/);
  assert.equal(server.requests.length, 0);
  assert.equal(await chat.say('Which structure?'), 'from chief');
  assert.match(JSON.stringify(server.lastRequest.body.messages), /## broken\\n\(failed: /);
  assert.deepEqual(
    (await chat.session.model.known()).filter(({ provider }) => provider === 'moa').map(({ model }) => model),
    ['other', 'team'],
  );
  assert.match(await chat.type('/model team'), /Model: team\nProvider: moa/);
});

test('a mixture whose answering model cannot be reached is refused, and the model stays', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(
    t,
    server,
    presets.replace('provider: custom, model: boss', 'provider: deepseek, model: boss'),
  );
  await assert.rejects(chat.type('/moa Which structure?'), /deepseek|key/i);
  assert.equal(chat.session.agent.route.model, 'test-model');
  assert.equal(server.requests.length, 0);
});
