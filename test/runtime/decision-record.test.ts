/** Every decision about a tool call, and what ran, stands in the audit log. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { lastEntries } from '../../src/audit/read-entries.ts';
import { verifyAuditLog } from '../../src/audit/verify.ts';
import { noLog } from '../../src/lib/log.ts';
import { createToolServices } from '../../src/runtime/tool-services.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { type Chat, type ChatOptions, chatAt, type Place, placeFor } from './support.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const terminal = (command: string) => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });

async function start(
  t: TestContext,
  options: ChatOptions = {},
  config = '',
): Promise<{ server: ModelServer; place: Place; chat: Chat }> {
  const server = await startModelServer();
  t.after(() => server.close());
  const place = placeFor(t, server, config, { env: { OPENAI_API_KEY: 'sk-0123456789abcdefghijklmn' } });
  return { server, place, chat: await chatAt(place, { present: true, ...options }) };
}

/** The fields that matter, without those of the chain. */
async function told(place: Place): Promise<Record<string, unknown>[]> {
  const entries = await lastEntries(place.homePath, 100, () => true);
  return entries.map(({ seq: _seq, time: _time, prev: _prev, hash: _hash, ...rest }) => rest);
}

suite('record of decisions', () => {
  test('a harmless command: who decided, its programs and arguments, where the text came from, and what ran', async (t) => {
    const { server, place, chat } = await start(t);
    const command = 'ls -la . | head -3; echo "OPENAI_API_KEY=sk-0123456789abcdefghijklmn" > /dev/null';
    server.enqueue(terminal(command), { text: 'Done.' });
    await chat.say('look around');
    const [decision, ended] = await told(place);
    assert.deepEqual(decision, {
      kind: 'decision',
      session: chat.session.id,
      surface: 'cli',
      tool: 'terminal',
      shown: 'ls -la . | head -3; echo "OPENAI_API_KEY=sk-012...klmn" > /dev/null',
      sha256: sha256(command),
      commands: [
        ['ls', '-la', '.'],
        ['head', '-3'],
        ['echo', 'OPENAI_API_KEY=sk-012...klmn', '> /dev/null'],
      ],
      findings: [],
      sources: [{ from: 'user' }, { from: 'agent' }],
      decision: 'allowed',
      by: 'rules',
    });
    assert.deepEqual(ended, {
      kind: 'ended',
      session: chat.session.id,
      tool: 'terminal',
      decision: 1,
      outcome: 'ok',
      sha256: sha256(command),
      where: 'outside',
      exit: 0,
    });
    assert.doesNotMatch(place.read('logs/audit.jsonl'), /sk-0123456789/);
    assert.deepEqual((await verifyAuditLog(place.homePath)).problems, []);
  });

  test('a question: the rule, the answer, who gave it, and what the program then ended with', async (t) => {
    const { server, place, chat } = await start(t);
    const command = 'chmod 777 /srv/nothing-there';
    server.enqueue(terminal(command), { text: 'No.' }, terminal(command), { text: 'Yes.' }, terminal(command), {
      text: 'Again.',
    });
    await chat.say('do it');
    chat.choice = 'session';
    await chat.say('do it now');
    await chat.say('and again');
    const entries = (await told(place)).map(({ decision, answer, by, exit, findings }) => [
      decision,
      answer ?? exit,
      by,
      findings,
    ]);
    const rule = ['world-writable permissions', 'write outside the workspace'];
    assert.deepEqual(entries, [
      ['asked', 'deny', 'person', rule],
      ['asked', 'session', 'person', rule],
      [2, 1, undefined, undefined],
      ['allowed', 'earlier', 'person', rule],
      [4, 1, undefined, undefined],
    ]);
  });

  test('refusals: what is never run, and what would need a person where nobody is', async (t) => {
    const { server, place, chat } = await start(t, { present: false });
    server.enqueue(terminal('rm -rf /'), terminal('chmod 777 /srv/x'), { text: 'Refused.' });
    await chat.say('go');
    const entries = (await told(place)).map(({ decision, by, reason }) => [decision, by, reason]);
    assert.deepEqual(entries, [
      ['refused', 'rules', entries[0]?.[2]],
      ['refused', 'nobody', 'world-writable permissions; write outside the workspace'],
    ]);
    assert.match(String(entries[0]?.[2]), /delet/);
  });

  test('what the owner wrote down says so: what is allowed, and what is forbidden', async (t) => {
    const { server, place, chat } = await start(t, {}, 'approvals:\n  allow: ["chmod 777 *"]\n  deny: ["git push*"]\n');
    server.enqueue(terminal('chmod 777 /srv/nothing-there'), terminal('git push'), { text: 'Done.' });
    await chat.say('go');
    const entries = (await told(place)).filter(({ kind }) => kind === 'decision');
    assert.deepEqual(
      entries.map(({ decision, by, setting }) => [decision, by, setting]),
      [
        ['allowed', 'owner', 'approvals.allow'],
        ['refused', 'owner', undefined],
      ],
    );
  });

  test('what the model of smart mode let run says that it was the model, and not a person', async (t) => {
    const server = await startModelServer({
      respond: ({ rawBody }) => ({ text: rawBody.includes('whether a shell command') ? 'APPROVE' : 'Done.' }),
    });
    t.after(() => server.close());
    const place = placeFor(t, server, 'approvals:\n  mode: smart\n');
    const chat = await chatAt(place, { present: true });
    place.put('src/main.ts', 'export {};\n');
    server.enqueue(terminal('rm -r src'));
    await chat.say('go');
    const [decision, ended] = await told(place);
    assert.deepEqual(
      [decision?.['decision'], decision?.['by'], decision?.['findings'], ended?.['exit']],
      ['allowed', 'model', ['recursive delete'], 0],
    );
  });

  test('a command that nobody knows tells whether it was confined, in the foreground and in the background', async (t) => {
    const { server, place, chat } = await start(t);
    const services = createToolServices({ ...chat.program.options, store: undefined, log: noLog }, 'probe');
    t.after(() => services.environment.close());
    const problem = await services.environment.confinementProblem();
    const background = { name: 'terminal', arguments: { command: 'node -e 2', background: true } };
    server.enqueue(terminal('node -e 1'), { toolCalls: [background] }, { text: 'Done.' });
    await chat.say('go');
    await chat.session.close('test');
    const ended = (await told(place)).filter(({ kind, where: place }) => kind === 'ended' && place !== undefined);
    const where = problem === undefined ? 'confined' : 'outside';
    assert.deepEqual(
      ended.map((entry) => [entry['where'], entry['sha256']]),
      [
        [where, sha256('node -e 1')],
        [where, sha256('node -e 2')],
      ],
    );
  });

  test('a process in the background tells its end too, however long after: with which code, and who ended it', async (t) => {
    const { server, place, chat } = await start(t);
    const inBackground = (command: string) => ({
      toolCalls: [{ name: 'terminal', arguments: { command, background: true } }],
    });
    server.enqueue(inBackground('sleep 0.1; exit 3'), inBackground('sleep 100'), inBackground('sleep 200'), {
      text: 'Started.',
    });
    await chat.say('go');
    const id = JSON.stringify(server.requests.at(-1)?.body.messages).match(/proc_[0-9a-f]{12}/g)?.[1] ?? '';
    server.enqueue(
      { toolCalls: [{ name: 'process', arguments: { action: 'kill', session_id: id } }] },
      { text: 'Ok.' },
    );
    await chat.say('end the second');
    await chat.session.close('test');
    const entries = await lastEntries(place.homePath, 100, () => true);
    // By their numbers: where the first end stands among the decisions is a matter of when it came.
    const commands = new Map(entries.map(({ seq, shown }) => [seq, typeof shown === 'string' ? shown : '']));
    const ends = entries
      .filter(({ kind, process }) => kind === 'ended' && process !== undefined)
      .map(
        ({ decision, outcome, exit, endedBy }) =>
          [commands.get(Number(decision)) ?? '', outcome, exit, endedBy] as const,
      );
    assert.equal(ends.filter(([, outcome]) => outcome === 'started').length, 3);
    const over = ends.filter(([, outcome]) => outcome !== 'started');
    assert.deepEqual(
      over.toSorted(([one], [other]) => one.localeCompare(other)),
      [
        ['sleep 0.1; exit 3', 'exited', 3, undefined],
        ['sleep 100', 'killed', -15, 'process.kill'],
        ['sleep 200', 'killed', -15, 'kill_all'],
      ],
    );
    assert.deepEqual((await verifyAuditLog(place.homePath)).problems, []);
  });

  test('what the owner lets run by a setting names the setting', async (t) => {
    const { server, place, chat } = await start(t, { mode: { yolo: true } });
    server.enqueue(terminal('chmod 777 /srv/nothing-there'), { text: 'Done.' });
    await chat.say('go');
    const [decision] = await told(place);
    assert.deepEqual([decision?.['decision'], decision?.['by'], decision?.['setting']], ['allowed', 'owner', 'yolo']);
  });

  test('a changed file is named, a look at one has its decision only, and the text of a file names its source', async (t) => {
    const { server, place, chat } = await start(t);
    const path = join(place.work, 'notes.txt');
    server.enqueue(
      { toolCalls: [{ name: 'write_file', arguments: { path, content: 'tea\n'.repeat(5000) } }] },
      { toolCalls: [{ name: 'read_file', arguments: { path } }] },
      { toolCalls: [{ name: 'read_file', arguments: { path: join(place.homePath, '.env') } }] },
      { text: 'Done.' },
    );
    await chat.say('go');
    const entries = await told(place);
    assert.deepEqual(
      entries.map(({ kind, tool, changed, outcome }) => [kind, tool, changed ?? outcome]),
      [
        ['decision', 'write_file', undefined],
        ['ended', 'write_file', [path]],
        ['decision', 'read_file', undefined],
        ['decision', 'read_file', undefined],
        ['ended', 'read_file', 'error'],
      ],
    );
    assert.ok(JSON.stringify(entries[0]).length < 1500, 'the content of a file is not kept a second time');
    assert.match(JSON.stringify(entries[3]?.['sources']), /"from":"file"/);
  });

  test('nothing is made before the first decision, and a log that cannot be written is told and keeps nobody', async (t) => {
    const { server, place, chat } = await start(t);
    server.enqueue({ text: 'Hello.' });
    await chat.say('hi');
    assert.ok(!existsSync(join(place.homePath, 'logs/audit.jsonl')) && !existsSync(join(place.homePath, 'audit.key')));
    mkdirSync(join(place.homePath, 'logs/audit.jsonl'), { recursive: true });
    server.enqueue(terminal('echo 1'), terminal('echo 2'), { text: 'Done.' });
    assert.equal(await chat.say('go'), 'Done.');
    assert.equal(chat.warnings.filter((line) => line.includes('audit log')).length, 1, chat.warnings.join('\n'));
    rmSync(join(place.homePath, 'logs/audit.jsonl'), { recursive: true });
    server.enqueue(terminal('echo 3'), { text: 'Done.' });
    await chat.say('go on');
    const shown = (await told(place)).filter(({ kind }) => kind === 'decision').map((entry) => entry['shown']);
    assert.deepEqual(shown, ['echo 1', 'echo 2', 'echo 3']);
  });
});
