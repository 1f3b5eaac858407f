/** What is approved is what runs, also if a script that it names has changed since. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ApprovalChoice, type ApprovalRequest, headless } from '../../src/agent/human.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { chatAt, placeFor } from './support.ts';

interface Asked {
  readonly request: ApprovalRequest;
  readonly change: (name: string, text: string) => void;
}

/** A session in which the person answers as `answer` says, and every command is asked about. */
async function session(t: TestContext, answer: (asked: Asked, count: number) => ApprovalChoice) {
  const server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
  t.after(() => server[Symbol.asyncDispose]());
  const place = placeFor(t, server, 'approvals:\n  default: ask\n');
  const asked: ApprovalRequest[] = [];
  const human = {
    ...headless,
    present: true,
    approve(request: ApprovalRequest) {
      asked.push(request);
      const change = (name: string, text: string): void => writeFileSync(join(place.work, name), text);
      return Promise.resolve(answer({ request, change }, asked.length));
    },
  };
  const open = async () => {
    const chat = await chatAt(place, { human });
    return async (command: string): Promise<string> => {
      server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command } }] });
      await chat.say('go on');
      const result = chat.session.agent.history.findLast(({ role }) => role === 'tool')?.content;
      assert.ok(typeof result === 'string');
      return result;
    };
  };
  return { place, asked, run: await open(), open };
}

test('a script that changed while the person was asked is asked about again, and what was seen last runs', async (t) => {
  const { place, asked, run } = await session(t, ({ change }, count) => {
    if (count === 1) change('x.sh', 'echo planted');
    return 'once';
  });
  place.put('x.sh', 'echo seen');
  assert.match(await run('bash x.sh'), /planted/);
  assert.equal(asked.length, 2);
  assert.deepEqual(asked[1]?.reasons.slice(1), [`${join(place.work, 'x.sh')} changed while you were asked`]);
});

test('what changes at every question is not run', async (t) => {
  const { place, asked, run } = await session(t, ({ change }, count) => {
    change('x.sh', `echo ${count}`);
    return 'once';
  });
  place.put('x.sh', 'echo seen');
  assert.match(await run('bash x.sh'), /BLOCKED: what would run changed again and again/);
  assert.equal(asked.length, 3);
});

test('an answer for the session holds as long as the script is the same', async (t) => {
  const { place, asked, run } = await session(t, () => 'session');
  place.put('x.sh', 'echo one');
  await run('bash x.sh');
  assert.match(await run('bash x.sh'), /one/);
  assert.equal(asked.length, 1);
  place.put('x.sh', 'echo two');
  assert.match(await run('bash x.sh'), /two/);
  assert.equal(asked.length, 2);
});

const lasting: readonly (readonly [ApprovalChoice, string, string])[] = [
  ['always command', 'bash x.sh', 'x.sh'],
  ['always command', 'make it', 'Makefile'],
  ['always program', 'make it', 'Makefile'],
];

for (const [choice, command, file] of lasting) {
  test(`'${choice}' for ${command} asks again when ${file} has changed, and holds for the new one then`, async (t) => {
    const { place, asked, run, open } = await session(t, () => choice);
    place.put(file, file === 'Makefile' ? 'it:\n\t@echo one\n' : 'echo one\n');
    await run(command);
    const later = await open();
    await later(command);
    assert.equal(asked.length, 1, 'another session knows it');
    place.put(file, file === 'Makefile' ? 'it:\n\t@echo two\n' : 'echo two\n');
    await later(command);
    assert.equal(asked.length, 2);
    assert.match(asked[1]?.reasons.join() ?? '', new RegExp(`${file} changed since the command was allowed`));
    await later(command);
    assert.equal(asked.length, 2);
    assert.equal(place.read('config.yaml').split(`${file}:`).length, 2, 'one entry is kept');
  });
}

test('a command that names no file is kept as before', async (t) => {
  const { place, run } = await session(t, () => 'always command');
  await run('ls');
  assert.doesNotMatch(place.read('config.yaml'), /files:/);
});
