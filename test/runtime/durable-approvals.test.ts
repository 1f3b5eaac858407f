/** A question to a person outlives the process that asked, and an answer is good for what was asked alone. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { headless } from '../../src/agent/human.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { query } from '../sessions/support.ts';
import { chatAt, placeFor } from './support.ts';

const askingProcess = fileURLToPath(new URL('asking-process.ts', import.meta.url));
const removal = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r src' } }] };

test('a question is a row from the moment it is asked: who, where, what, and how it was answered', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
  const place = placeFor(t, server);
  place.put('src/a', '');
  const chat = await chatAt(place, { present: true, userId: 'ann' });
  server.enqueue(removal);
  chat.choice = 'once';
  await chat.say('tidy up');
  const [row, ...others] = query(join(place.homePath, 'state.db'), 'SELECT * FROM approval_requests');
  assert.equal(others.length, 0);
  const { session_id, surface, person, digest, tool, shown, findings, state, answered_by } = row ?? {};
  assert.deepEqual(
    { session_id, surface, person, tool, shown, findings, state, answered_by },
    {
      session_id: chat.session.id,
      surface: 'cli',
      person: 'ann',
      tool: 'terminal',
      shown: 'rm -r src',
      findings: '["recursive delete"]',
      state: 'once',
      answered_by: 'ann',
    },
  );
  const asked = JSON.stringify(['terminal', 'rm -r src', place.work]);
  assert.equal(digest, createHash('sha256').update(asked).digest('hex'));
  assert.ok(!existsSync(join(place.work, 'src')));
});

test('what nobody could answer before the process was killed is told once, to the person and to the model', async (t) => {
  await using server = await startModelServer({ strict: true, respond: () => ({ text: 'Done.' }) });
  server.enqueue(removal);
  const place = placeFor(t, server);
  place.put('src/a', '');
  const child = spawn(process.execPath, [askingProcess, place.homePath, place.work], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { session } = JSON.parse(line) as { session: string };

  const early = await chatAt(place, { resume: session, present: true });
  assert.deepEqual(early.session.warnings, [], 'as long as somebody may answer, nothing is lost');
  await early.leave();
  child.kill('SIGKILL');
  await once(child, 'close');

  const chat = await chatAt(place, { resume: session, present: true });
  assert.match(chat.session.warnings.join('\n'), /^Not run, because the program stopped .*\): rm -r src$/);
  await chat.say('and now?');
  const result = server.lastRequest.body.messages.find(({ role }) => role === 'tool');
  assert.match(
    JSON.stringify(result?.content),
    /^"\[Tool not run — terminal waited for the user's approval, and nobody answered/,
  );
  assert.deepEqual(server.violations, []);
  assert.ok(existsSync(join(place.work, 'src')));
  await chat.leave();

  const later = await chatAt(place, { resume: session, present: true });
  assert.deepEqual(later.session.warnings, []);
  const states = query(join(place.homePath, 'state.db'), 'SELECT state FROM approval_requests');
  assert.deepEqual(
    states.map(({ state }) => state),
    ['lost'],
  );
});

test('an answer to a question that was settled elsewhere runs nothing', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
  const place = placeFor(t, server);
  place.put('src/a', '');
  const path = join(place.homePath, 'state.db');
  const chat = await chatAt(place, {
    human: {
      ...headless,
      present: true,
      approve() {
        query(path, "UPDATE approval_requests SET state = 'deny'");
        return Promise.resolve('once');
      },
    },
  });
  server.enqueue(removal);
  await chat.say('tidy up');
  assert.ok(existsSync(join(place.work, 'src')));
});
