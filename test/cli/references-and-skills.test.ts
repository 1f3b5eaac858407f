/** What a typed line brings along: `@` references, and skills by their name. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { hermes, makePlace } from './hermes-process.ts';
import { storedMessages } from './stored.ts';

test('@file attaches the lines it names; a file of secrets is a warning and stays where it is', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'read it' }) });
  const place = makePlace(t, server);
  writeFileSync(join(place.work, 'a.py'), 'one\ntwo\nthree\nfour\n');
  const run = await hermes(place, ['chat', '-q', 'Review @file:a.py:2-3.']);
  assert.equal(run.code, 0);
  const sent = JSON.stringify(server.lastRequest.body.messages.at(-1));
  assert.match(sent, /Review[\s\S]*Attached Context[\s\S]*two\\nthree/);
  assert.doesNotMatch(sent, /four/);
  const secret = await hermes(place, ['chat', '-q', 'Look at @file:~/.ssh/id_rsa']);
  assert.equal(secret.code, 0);
  assert.match(JSON.stringify(server.lastRequest.body.messages.at(-1)), /Context Warnings/);
});

test('/name loads the skill of that name with what was typed behind it', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'done' }) });
  const place = makePlace(t, server);
  place.write(
    'skills/dev/greet/SKILL.md',
    '---\nname: greet\ndescription: How to greet\n---\n# Greet\nSay hello politely.\n',
  );
  await hermes(place, ['-z', '/greet the whole team']);
  const [system, user] = server.lastRequest.body.messages;
  assert.match(JSON.stringify(user), /invoked the \\"greet\\" skill[\s\S]*Say hello politely[\s\S]*the whole team/);
  assert.match(JSON.stringify(system), /greet: How to greet/);
  assert.equal(storedMessages(place.home)[0]?.content, '/greet the whole team', 'people are shown what was typed');
  server.enqueue({ text: 'again' });
  await hermes(place, ['-c', '-z', 'And the others?']);
  assert.match(JSON.stringify(server.lastRequest.body.messages[1]), /Say hello politely[\s\S]*the whole team/);
});

test('a conversation with too large a file is refused before anything is sent', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'x' }) });
  const place = makePlace(t, server);
  writeFileSync(join(place.work, 'big.txt'), 'word '.repeat(200_000));
  const run = await hermes(place, ['-z', 'Read @file:big.txt']);
  assert.equal(run.code, 1);
  assert.equal(server.requests.length, 0);
  assert.match(run.stderr, /context|limit|tokens/i);
});

test('-s keeps a skill in force; unknown ones are passed over, and an error where no other was named', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'done' }) });
  const place = makePlace(t, server);
  place.write('skills/dev/greet/SKILL.md', '---\nname: greet\ndescription: How to greet\n---\nSay hello politely.\n');
  await hermes(place, ['-s', 'greet', '-z', 'hi']);
  assert.match(JSON.stringify(server.lastRequest.body.messages.at(-1)), /greet[\s\S]*Say hello politely[\s\S]*hi/);
  const some = await hermes(place, ['-s', 'greet,nosuch', '-z', 'hi']);
  assert.deepEqual([some.code, some.stdout], [0, 'done\n']);
  assert.match(some.stderr, /Unknown skill\(s\): nosuch/);
  assert.match(place.read('logs/agent.log'), /WARNING .*Unknown skill\(s\): nosuch/);
  assert.match(JSON.stringify(server.lastRequest.body.messages.at(-1)), /Say hello politely/);
  const none = await hermes(place, ['-s', 'nosuch', '-s', 'x', '-z', 'hi']);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /Unknown skill\(s\): nosuch, x\n/);
  assert.equal(server.requests.length, 2);
});

test('rules are ignored by flag, by variable and in safe mode, and safe mode reads no settings either', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'done' }) });
  const place = makePlace(t, server, 'agent:\n  system_prompt: EXTRA\n');
  place.write('SOUL.md', 'You are Ada.');
  place.write('memories/MEMORY.md', 'The server is called bert.');
  place.write('skills/dev/greet/SKILL.md', '---\nname: greet\ndescription: How to greet\n---\nSay hello politely.\n');
  writeFileSync(join(place.work, 'AGENTS.md'), 'Use tabs.\n');
  const ask = async (flags: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const own = { CUSTOM_BASE_URL: server.url, OPENAI_API_KEY: 'test-key', ...env };
    const args = ['--provider', 'custom', '-m', 'test-model', '-s', 'greet', ...flags, '-z', 'hi'];
    const run = await hermes(place, args, { env: own });
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'done\n', ''], flags.join());
    return JSON.stringify(server.lastRequest.body.messages);
  };
  const rules = /Ada|bert|Use tabs|hello politely/;
  assert.match(await ask([]), rules);
  for (const sent of [await ask(['--ignore-rules']), await ask([], { HERMES_IGNORE_RULES: '1' })]) {
    assert.doesNotMatch(sent, rules);
    assert.match(sent, /EXTRA/);
  }
  for (const sent of [await ask(['--safe-mode']), await ask([], { HERMES_SAFE_MODE: 'true' })]) {
    assert.doesNotMatch(sent, rules);
    assert.doesNotMatch(sent, /EXTRA/);
  }
});
