/** What sub-agents may do, what they cost, and when they take too long. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { noHooks } from '../../../src/agent/hooks.ts';
import { headless } from '../../../src/agent/human.ts';
import { noLog } from '../../../src/lib/log.ts';
import { Child } from '../../../src/runtime/delegation/child.ts';
import { fromProgram } from '../../../src/runtime/new-session.ts';
import { startModelServer, type Step } from '../../fakes/model-server.ts';
import { errorOf, openChat } from '../support.ts';
import { delegating, isChild, toldIn } from './support.ts';

const removing = delegating.bind(
  undefined,
  { goal: 'tidy up' },
  (_goal, { body }): Step =>
    body.messages.some(({ role }) => role === 'tool')
      ? { text: 'Tried.' }
      : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r src' } }] },
);

for (const [what, present, choice, config, gone] of [
  ['is asked of the person, who says yes', true, 'once', '', true],
  ['is asked of the person, who says no', true, 'deny', '', false],
  ['is refused where nobody can be asked', false, 'deny', '', false],
  ['runs without a question when the owner said so', false, 'deny', 'subagent_auto_approve: true', true],
] as const)
  test(`what a sub-agent needs approval for ${what}`, async (t) => {
    await using server = await startModelServer({ respond: removing() });
    const more = `terminal:\n  sandbox: off\ndelegation:\n  max_iterations: 50\n  ${config}\n`;
    const chat = await openChat(t, server, more, { present });
    chat.place.put('src/a', '');
    chat.choice = choice;
    await chat.say('go');
    assert.equal(!existsSync(join(chat.place.work, 'src')), gone);
    assert.equal(chat.asked.length, present ? 1 : 0);
    if (present) assert.match(chat.asked[0]?.reasons.join() ?? '', /a sub-agent \(sa-0-[0-9a-f]{8}\) asks.*tidy up/);
    assert.equal(toldIn(chat).results[0]?.['status'], 'completed');
  });

test('what sub-agents spend counts under the caps of the conversation, which may end them', async (t) => {
  const usage = { prompt_tokens: 900, completion_tokens: 100 };
  await using server = await startModelServer({
    respond: delegating({ tasks: [{ goal: 'a' }, { goal: 'b' }] }, () => ({ text: 'Done.', usage })),
  });
  const chat = await openChat(t, server, 'limits:\n  session_tokens: 1900\n');
  const result = await chat.session.agent.runConversation('go');
  assert.match(errorOf(result) ?? '', /of 1,900 tokens this session/);
  assert.ok(((await chat.session.spent())?.tokens ?? 0) > 2000, 'and in what the conversation has cost');
});

test('sub-agents may have a model of their own, and what cannot be resolved is an error of the call', async (t) => {
  await using server = await startModelServer({ respond: delegating({ goal: 'look' }, () => ({ text: 'Seen.' })) });
  const chat = await openChat(t, server, 'delegation:\n  model: small-model\n  max_iterations: 7\n');
  await chat.say('go');
  assert.equal(server.requests.find(isChild)?.body.model, 'small-model');
  assert.equal(toldIn(chat).results[0]?.['model'], 'small-model');

  await using other = await startModelServer({ respond: delegating({ goal: 'look' }, () => ({ text: 'Seen.' })) });
  const lost = await openChat(t, other, 'delegation:\n  provider: no-such-provider\n');
  await lost.say('go');
  assert.match(String(toldIn(lost)['error']), /Unknown provider 'no-such-provider'/);
});

test('one that does not end in time is stopped, and why stands in a file', async (t) => {
  const never = Promise.withResolvers<undefined>();
  t.after(() => never.resolve(undefined));
  await using server = await startModelServer({ respond: () => ({ text: 'never', gate: never.promise }) });
  const chat = await openChat(t, server);
  const child = new Child({
    delegationId: 'deleg_00000000',
    index: 0,
    count: 1,
    depth: 1,
    task: { goal: 'wait for ever', role: 'leaf' },
    inBackground: false,
    sources: [],
    open: async () =>
      fromProgram(await chat.program.openSession({ surface: 'cli', human: headless, parent: chat.session })),
    price: () => Promise.resolve(undefined),
    transcript: undefined,
    timeoutMs: 100,
    homePath: chat.place.homePath,
    redact: (text) => text,
    log: noLog,
    tell: () => undefined,
    hooks: noHooks,
    parent: () => ({}),
  });
  const entry = await child.run();
  await child.gone();
  assert.deepEqual([entry.status, entry.exit_reason], ['timeout', 'timeout']);
  assert.match(entry.diagnostic_path ?? '', /logs\/subagent-timeout-.*\.log$/);
  assert.match(readFileSync(entry.diagnostic_path ?? '', 'utf8'), /wait for ever/);
});
