/** What a session sends: the stored prompt byte for byte, and around it what is never stored. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { openConversation } from '../commands/conversation.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { put } from './support.ts';

/** The messages of each request so far. */
function sent(server: ModelServer) {
  return server.requests.map(({ body }) => body.messages.map(({ role, content }) => ({ role, content })));
}

function systemOf(messages: ReturnType<typeof sent>[number] | undefined): string {
  const first = messages?.[0];
  assert.equal(first?.role, 'system');
  assert.ok(typeof first.content === 'string');
  return first.content;
}

test('two turns send the same system prompt, whatever happens to the files meanwhile', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'one' }, { text: 'two' }, { text: 'three' });
  const chat = await openConversation(t, server);
  await chat.say('a');
  put(chat.homePath, 'SOUL.md', 'You are somebody else.');
  put(join(chat.homePath, '..', 'work'), 'AGENTS.md', 'New rules.');
  await chat.say('b');
  const [first, second] = sent(server);
  assert.equal(systemOf(first), systemOf(second));
  await chat.type('/new');
  await chat.say('c');
  assert.match(systemOf(sent(server)[2]), /^You are somebody else\.[\s\S]*New rules\./);
});

test('a configured extra prompt ends the system message and is not stored', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'one' });
  const chat = await openConversation(t, server, 'agent:\n  system_prompt: EXTRA\n');
  await chat.say('a');
  const system = systemOf(sent(server)[0]);
  assert.ok(system.endsWith('\n\nEXTRA'));
  const row = await chat.store.getSession(chat.session.id);
  assert.equal(`${row?.system_prompt ?? ''}\n\nEXTRA`, system);
});

test('prefill messages follow the system message on every call and are not stored', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'one' }, { text: 'two' });
  const chat = await openConversation(t, server, 'prefill_messages_file: prefill.json\n');
  const prefill = [
    { role: 'user', content: 'before' },
    { role: 'assistant', content: 'noted' },
  ];
  put(chat.homePath, 'prefill.json', JSON.stringify(prefill));
  await chat.say('a');
  await chat.say('b');
  for (const messages of sent(server)) assert.deepEqual(messages.slice(1, 3), prefill);
  const stored = await chat.store.getConversation(chat.session.id);
  assert.deepEqual(
    stored.map(({ content }) => content),
    ['a', 'one', 'b', 'two'],
  );
});

test('/personality is laid over the prompt at once, remembered, and taken away again', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'one' }, { text: 'two' }, { text: 'three' });
  const chat = await openConversation(
    t,
    server,
    'agent:\n  personalities:\n    Ada:\n      system_prompt: Count.\n      tone: dry\n',
  );
  await chat.say('a');
  assert.match(await chat.type('/personality PIRATE'), /pirate/);
  await chat.say('b');
  assert.match(await chat.type('/personality'), /● pirate/);
  assert.match(readFileSync(join(chat.homePath, 'config.yaml'), 'utf8'), /system_prompt: .*pirate captain/);
  await chat.type('/personality ada');
  assert.equal(chat.session.extraPrompt, 'Count.\nTone: dry');
  await chat.type('/personality none');
  await chat.say('c');
  const [first, second, third] = sent(server).map(systemOf);
  assert.ok(second?.startsWith(`${first ?? ''}\n\n`) && second.includes('pirate captain'));
  assert.equal(third, first);
  const row = await chat.store.getSession(chat.session.id);
  assert.equal(row?.system_prompt, first);
});

test('an unknown personality is refused with the list of those there are', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  await assert.rejects(chat.type('/personality robot'), (error) => {
    assert.ok(error instanceof UserError);
    assert.match(error.message, /no personality 'robot'/);
    assert.match(error.hint ?? '', /shakespeare/);
    return true;
  });
  assert.equal(chat.session.extraPrompt, '');
});

test('the rules of a directory come with the first result that touches it, once, and stay in the history', async (t) => {
  await using server = await startModelServer();
  const read = { toolCalls: [{ name: 'read_file', arguments: { path: 'backend/src/x.py' } }] };
  server.enqueue(read, read, { text: 'done' });
  const chat = await openConversation(t, server);
  const work = join(chat.homePath, '..', 'work');
  put(work, 'backend/AGENTS.md', 'Backend rules.');
  put(work, 'backend/src/x.py', 'print(1)\n');
  await chat.say('read it twice');
  const stored = await chat.store.getConversation(chat.session.id);
  const results = stored.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content));
  assert.equal(results.length, 2);
  assert.match(
    results[0] ?? '',
    /print\(1\)[\s\S]*Subdirectory context discovered: [^\]]*backend\/AGENTS\.md\][\s\S]*Backend rules\./,
  );
  assert.doesNotMatch(results[1] ?? '', /Backend rules/);
});

test('a session attaches what a message names, and keeps it as part of the message', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'done' });
  const chat = await openConversation(t, server);
  put(join(chat.homePath, '..', 'work'), 'a.py', 'one\ntwo\nthree\n');
  const signal = new AbortController().signal;
  assert.equal((await chat.session.expand('mail me', signal)).text, 'mail me');
  const { text, warnings } = await chat.session.expand('Review @file:a.py:2 and @url:http://127.0.0.1/', signal);
  assert.match(
    text,
    /^Review and\n\n--- Context Warnings ---\n- @url:.*its network are not read\n\n--- Attached Context ---[\s\S]*```python\ntwo\n```$/,
  );
  assert.equal(warnings.length, 1);
  await chat.say(text);
  assert.equal((await chat.store.getConversation(chat.session.id))[0]?.content, text);
});
