/** `/compress`: what is still needed comes back after it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { textOf } from '../../src/llm/message.ts';
import { startModelServer } from '../fakes/model-server.ts';
import type { RecordedRequest } from '../fakes/model-server.ts';
import type { Answer } from '../fakes/model-steps.ts';
import { put } from '../prompt/support.ts';
import { type Conversation, openConversation } from './conversation.ts';

const summary: Answer = {
  text: '## Goal\nFind out how the pump works.\n## Completed Actions\nTalked about the pump, the valve and the pipe.\n## Historical Remaining Work\nAnswer the newest question.',
};

/** Longer than a summary of it, so that there is something to be won. */
const answer: Answer = { text: `I see. ${'The pump turns and turns. '.repeat(60)}` };

/** Nothing is protected but the newest message. */
const small = 'compression:\n  protect_first_n: 0\n  protect_last_n: 1\n  target_ratio: 0.1\n';

/** Writes the summary; everything else is an answer of the conversation. */
function model(talk: (request: RecordedRequest) => Answer = () => answer) {
  return (request: RecordedRequest): Answer => (request.rawBody.includes('handover summary') ? summary : talk(request));
}

async function talk(chat: Conversation, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) await chat.say(`question ${turn}`);
}

const said = (chat: Conversation): string[] => chat.session.agent.history.map(({ content }) => textOf(content));

test('steps that are open come back after it, those that are done do not', async (t) => {
  const todos = [
    { id: '1', content: 'read the manual', status: 'completed' },
    { id: '2', content: 'take the pump apart', status: 'in_progress' },
    { id: '3', content: 'clean the valve', status: 'pending' },
    { id: '4', content: 'paint the pipe', status: 'cancelled' },
  ];
  let planned = false;
  const talking = (): Answer => {
    if (planned) return answer;
    planned = true;
    return { toolCalls: [{ name: 'todo', arguments: { todos } }] };
  };
  await using server = await startModelServer({ respond: model(talking) });
  const chat = await openConversation(t, server, small);
  await talk(chat, 4);
  await chat.type('/compress');
  const list = '[Your active task list was preserved across context compression]';
  const text = said(chat).find((message) => message.includes(list)) ?? '';
  assert.match(text, /- \[>\] 2\. take the pump apart \(in_progress\)\n- \[ \] 3\. clean the valve$/);
  assert.doesNotMatch(said(chat).join('\n'), /read the manual|paint the pipe/);
  await chat.say('go on');
  assert.deepEqual(server.violations, []);
});

test('a file that was read before it is shown again after it', async (t) => {
  const read: Answer = { toolCalls: [{ name: 'read_file', arguments: { path: 'pump.txt' } }] };
  const talking = ({ body }: RecordedRequest): Answer =>
    body.messages.at(-1)?.role === 'user' && /read/.test(JSON.stringify(body.messages.at(-1))) ? read : answer;
  await using server = await startModelServer({ respond: model(talking) });
  const chat = await openConversation(t, server, small);
  put(join(chat.homePath, '..', 'work'), 'pump.txt', 'It turns to the left.\n');
  const shown = () => chat.session.agent.history.findLast(({ role }) => role === 'tool');
  await chat.say('read the file');
  assert.match(textOf(shown()?.content ?? ''), /It turns to the left/);
  await chat.say('read it again');
  assert.match(textOf(shown()?.content ?? ''), /Unchanged since you read it/);
  await talk(chat, 3);
  await chat.type('/compress');
  assert.doesNotMatch(said(chat).join('\n'), /It turns to the left/);
  await chat.say('read it once more');
  assert.match(textOf(shown()?.content ?? ''), /It turns to the left/);
});

test('/compress here keeps two exchanges or as many as are named, as they were, and refuses what is no number', async (t) => {
  await using server = await startModelServer({ respond: model() });
  const chat = await openConversation(t, server, small);
  await talk(chat, 8);
  const whole = chat.session.agent.history;
  await assert.rejects(chat.type('/compress here three'), (error) => {
    assert.ok(error instanceof UserError);
    assert.match(`${error.message} ${error.hint ?? ''}`, /'three' is not a number of exchanges.*\/compress here 4/);
    return true;
  });
  for (const bad of ['-1', '2.5', '1001']) await assert.rejects(chat.type(`/compress here ${bad}`), UserError);
  assert.equal(chat.session.agent.history, whole, 'a refused command changes nothing');
  await chat.type('/compress here 3');
  assert.deepEqual(chat.session.agent.history.slice(-6), whole.slice(-6));
  assert.doesNotMatch(said(chat).join('\n'), /^question [2-5]$/m);
  await chat.type('/compress here');
  assert.deepEqual(chat.session.agent.history.slice(-4), whole.slice(-4));
  assert.deepEqual(
    (await chat.store.messages.conversation(chat.session.id)).slice(-4),
    whole.slice(-4),
    'and so they are stored',
  );
  await chat.say('go on');
  assert.deepEqual(server.violations, []);
});

test('/compress --preview says what would be summarised and changes nothing; a flag is never taken for a topic', async (t) => {
  await using server = await startModelServer({ respond: model() });
  const chat = await openConversation(t, server, small);
  await talk(chat, 6);
  const whole = chat.session.agent.history;
  const { length } = server.requests;
  const preview = await chat.type('/compress --preview');
  assert.match(preview, /Would summarise \d+ of 12 messages.*Nothing was changed/);
  assert.match(await chat.type('/compress here 2 --dry-run'), /Would summarise 8 of 12 messages.*the last 4 stay/);
  await assert.rejects(chat.type('/compress --aggressive'), /does not take --aggressive/);
  assert.equal(server.requests.length, length, 'no model was asked');
  assert.equal(chat.session.agent.history, whole);
});

test('/status and /context show where it happens by itself, as configured and for the model in use', async (t) => {
  await using server = await startModelServer();
  const model = '  context_length: 200000\n';
  const usual = await openConversation(t, server, model);
  assert.match(await usual.type('/status'), /^Compresses at 100,000 tokens$/m);
  assert.match(await usual.type('/context'), /^Compresses at 100,000 tokens\.$/m);
  const late = await openConversation(t, server, `${model}compression:\n  threshold: 0.8\n`);
  assert.match(await late.type('/status'), /^Compresses at 160,000 tokens$/m);
  assert.match(await late.type('/context'), /^Compresses at 160,000 tokens\.$/m);
  const never = await openConversation(t, server, 'compression:\n  enabled: false\n');
  assert.doesNotMatch(`${await never.type('/status')}${await never.type('/context')}`, /Compresses/);
});

test('/model warns of a compaction from the same figure on', async (t) => {
  const usage = { prompt_tokens: 70_000, completion_tokens: 5 };
  await using server = await startModelServer({ respond: () => ({ text: 'ok', usage }) });
  const early = await openConversation(t, server);
  await early.say('hello');
  assert.match(await early.type('/model other-model'), /the next message compresses it/);
  const never = await openConversation(t, server, 'compression:\n  enabled: false\n');
  await never.say('hello');
  assert.doesNotMatch(await never.type('/model other-model'), /compresses/);
});
