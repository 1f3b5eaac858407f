/** Shell hooks of a whole program: allowed by the owner, heard in conversations, without its keys. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { delegating } from './delegation/support.ts';
import { chatAt, placeFor, textOf } from './support.ts';

/** A home with shell hooks: by point, the body of a script and what else stands in its entry. */
function placeWithHooks(
  t: TestContext,
  server: { readonly url: string },
  hooks: Readonly<Record<string, { readonly body: string; readonly more?: string }>>,
  moreConfig = 'hooks_auto_accept: true\n',
  env: Readonly<Record<string, string>> = { HERMES_ACCEPT_HOOKS: '' },
) {
  const home = temporaryHome(t);
  const folder = join(home.home.path, 'agent-hooks');
  mkdirSync(folder, { recursive: true });
  const entries = Object.entries(hooks).map(([point, { body, more = '' }]) => {
    const path = join(folder, `${point}.sh`);
    writeFileSync(path, `#!/bin/sh\n${body}\n`);
    chmodSync(path, 0o755);
    return `  ${point}:\n    - {command: ${path}${more}}\n`;
  });
  return placeFor(t, server, `hooks:\n${entries.join('')}${moreConfig}`, {
    home,
    env: { OPENAI_API_KEY: 'sk-not-for-hooks-0123456789', ...env },
  });
}

test('a hook blocks the tools that it matches, sees no keys, and hears the end of the conversation', async (t) => {
  await using server = await startModelServer();
  server.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command: 'touch made' } }] },
    { toolCalls: [{ name: 'write_file', arguments: { path: 'other', content: 'x' } }] },
    { text: 'ok' },
  );
  const place = placeWithHooks(t, server, {
    pre_tool_call: {
      body: `env > "$HERMES_HOME/seen"; echo '{"decision":"block","reason":"not today"}'`,
      more: ', matcher: term.*',
    },
    on_session_finalize: { body: 'cat > "$HERMES_HOME/ended"' },
  });
  const chat = await chatAt(place);
  await chat.say('go');
  assert.equal(existsSync(join(place.work, 'made')), false);
  assert.equal(existsSync(join(place.work, 'other')), true);
  const results = server.lastRequest.body.messages.filter(({ role }) => role === 'tool').map(textOf);
  assert.equal(results[0], '{"error":"not today"}');
  assert.doesNotMatch(place.read('seen'), /sk-not-for-hooks|test-key/);
  assert.match(place.read('shell-hooks-allowlist.json'), /"event": "pre_tool_call"/);
  const { id } = chat.session;
  await chat.leave();
  const ended = JSON.parse(place.read('ended'));
  assert.deepEqual([ended.session_id, ended.extra.reason, ended.extra.platform], [id, 'shutdown', 'cli']);
});

test('a hook keeps a turn that changed files going as often as the settings say, and no oftener', async (t) => {
  const place = (server: { readonly url: string }, nudges: number) =>
    placeWithHooks(
      t,
      server,
      { pre_verify: { body: `echo '{"action":"continue","message":"run the tests"}'` } },
      `hooks_auto_accept: true\nagent: {max_verify_nudges: ${nudges}}\n`,
    );
  for (const nudges of [0, 1]) {
    await using server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
    server.enqueue({ toolCalls: [{ name: 'write_file', arguments: { path: 'other', content: 'x' } }] });
    const chat = await chatAt(place(server, nudges));
    assert.equal(await chat.say('go'), 'Done.');
    const asked = server.requests.filter(({ body }) => textOf(body.messages.at(-1)).includes('run the tests'));
    assert.equal(asked.length, nudges);
  }
});

test('what a hook adds is text from outside; of a long one the model reads the ends, and the whole is in a file', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const body = `printf '{"context":"'; head -c 20000 /dev/zero | tr '\\0' x; printf '"}'`;
  const place = placeWithHooks(t, server, { pre_llm_call: { body } });
  const chat = await chatAt(place);
  await chat.say('hello');
  const sent = textOf(server.lastRequest.body.messages.at(-1));
  assert.match(sent, /^hello\n\nx{500}\n\n\[A hook gave 20000 characters; the whole text is in (.*)\]\n\nx{500}$/);
  const path = /is in (.*)\]/.exec(sent)?.[1] ?? '';
  assert.equal(readFileSync(path, 'utf8'), 'x'.repeat(20_000));
  assert.ok(path.startsWith(join(place.homePath, 'hook_outputs', chat.session.id)));
  const stored = await chat.store.messages.conversation(chat.session.id);
  assert.equal(stored[0]?.content, 'hello');
  assert.deepEqual(
    (await chat.store.sessions.sources(chat.session.id)).filter(({ from }) => from === 'program'),
    [{ from: 'program', name: 'hook pre_llm_call.sh' }],
  );
});

test('without the word of the owner no hook runs, and in safe mode none is even read', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const place = placeWithHooks(t, server, { pre_llm_call: { body: `echo '{"context":"X"}'` } }, '');
  const chat = await chatAt(place);
  await chat.say('hello');
  assert.equal(textOf(server.lastRequest.body.messages.at(-1)), 'hello');
  assert.match(chat.program.warnings.join('\n'), /pre_llm_call\.sh' is not allowed yet and does not run/);
  assert.equal(existsSync(join(place.homePath, 'shell-hooks-allowlist.json')), false);
});

test('HERMES_ACCEPT_HOOKS lets a new hook run, and it stands in the list of what was allowed exactly', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const body = `echo '{"context":"X"}'`;
  const place = placeWithHooks(t, server, { pre_llm_call: { body } }, '', { HERMES_ACCEPT_HOOKS: '1' });
  const chat = await chatAt(place);
  await chat.say('hello');
  assert.equal(textOf(server.lastRequest.body.messages.at(-1)), 'hello\n\nX');
  const [approval, ...others] = JSON.parse(place.read('shell-hooks-allowlist.json')).approvals;
  assert.deepEqual(Object.keys(approval), ['approved_at', 'command', 'event', 'script_mtime_at_approval']);
  const command = join(place.homePath, 'agent-hooks', 'pre_llm_call.sh');
  assert.deepEqual([approval.event, approval.command, others], ['pre_llm_call', command, []]);
});

test('hooks hear of each sub-agent: when it begins, and what came of it', async (t) => {
  await using server = await startModelServer({ respond: delegating({ goal: 'look' }, () => ({ text: 'Seen.' })) });
  const place = placeWithHooks(t, server, {
    subagent_start: { body: 'cat > "$HERMES_HOME/began"' },
    subagent_stop: { body: 'cat > "$HERMES_HOME/stopped"' },
  });
  const chat = await chatAt(place);
  await chat.say('go');
  const [began, stopped] = ['began', 'stopped'].map((name) => JSON.parse(place.read(name)));
  const { child_session_id: child, ...extra } = began.extra;
  assert.equal(began.session_id, chat.session.id);
  assert.deepEqual(
    [extra.child_role, extra.child_goal, extra.parent_subagent_id, extra.parent_turn_id],
    ['leaf', 'look', null, null],
  );
  assert.match(extra.child_subagent_id, /^sa-0-/);
  const { duration_ms, ...end } = stopped.extra;
  assert.equal(typeof duration_ms, 'number');
  assert.deepEqual([end.child_session_id, end.child_summary, end.child_status], [child, 'Seen.', 'completed']);
});
