/** What was sent once is sent again byte for byte, so that providers can serve it from their caches. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import type { Home } from '../../src/config/home.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Variables } from '../../src/config/variables.ts';
import { openProgram } from '../../src/runtime/open-program.ts';
import type { Program } from '../../src/runtime/program.ts';
import type { Session } from '../../src/runtime/session.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startAnthropicServer } from '../fakes/anthropic-server.ts';
import type { Answer } from '../fakes/model-steps.ts';
import { errorOf } from './support.ts';

/** Models that think do so before they call. */
const call = (name: string, args: object): Answer => ({
  reasoning: 'I should do that first.',
  toolCalls: [{ name, arguments: args }],
});
const skill = (body: string) => `---\nname: greet\ndescription: How to greet\n---\n# Greet\n${body}\n`;
const filler = 'The quick brown fox looks at the lazy dog and writes it all down in a long report. '.repeat(12);

/** What the model does in turn `turn`, from 1 to 30. */
function answersOf(turn: number): Answer[] {
  const text: Answer = { text: `Answer ${turn}. ${filler}` };
  if (turn === 3) return [call('memory', { action: 'add', content: 'Uses pnpm.' }), text];
  if (turn === 6) return [call('skill_manage', { action: 'create', name: 'greet', content: skill('Say hi.') }), text];
  if (turn === 9) return [call('skill_manage', { action: 'edit', name: 'greet', content: skill('Say hello.') }), text];
  if (turn === 12) return [call('memory', { action: 'add', target: 'user', content: 'Name: Ada' }), text];
  if (turn % 4 === 0) return [call('todo', { todos: [{ content: 'x' }] }), text];
  return [text];
}

async function openAt(t: TestContext, home: Home, env: Variables, cwd: string): Promise<Program> {
  const config = await loadConfig({ home, env });
  const program = await openProgram({ home, env, config, cwd });
  t.after(() => program.close());
  return program;
}

test('prompt_caching.cache_ttl sets the life of every mark; what it cannot be means five minutes', async (t) => {
  await using server = await startAnthropicServer({ strict: true, respond: () => ({ text: 'ok' }) });
  const hour = '{"type":"ephemeral","ttl":"1h"}';
  const short = '{"type":"ephemeral"}';
  for (const [configured, mark] of [
    ['1h', hour],
    ['5m', short],
    ['2 days', short],
    [undefined, short],
  ] as const) {
    const { home, env, write } = temporaryHome(t);
    const caching = configured === undefined ? '' : `prompt_caching:\n  cache_ttl: ${configured}\n`;
    write(
      'config.yaml',
      `model:\n  provider: custom\n  base_url: ${server.url}/anthropic\n  default: claude-sonnet-4-5\n  api_key: sk-ant-api-test\n${caching}`,
    );
    const program = await openAt(t, home, env, home.path);
    const session = await program.openSession({ surface: 'cli', human: headless });
    for (const text of ['one', 'two', 'three']) await session.agent.runConversation(text);
    const marks = server.lastRequest.rawBody.match(/"cache_control":\{[^}]*\}/g) ?? [];
    assert.deepEqual(
      marks,
      Array.from({ length: 4 }, () => `"cache_control":${mark}`),
      configured,
    );
  }
  assert.deepEqual(server.violations, []);
});

test('over 30 turns with memory writes, skill edits, a resume and a change of model the prefix never changes, and 95% is served from the cache', async (t) => {
  await using server = await startAnthropicServer({ strict: true });
  const { home, env, write } = temporaryHome(t);
  write(
    'config.yaml',
    `model:\n  provider: custom\n  base_url: ${server.url}/anthropic\n  default: claude-sonnet-4-5\n  api_key: sk-ant-api-test\n`,
  );
  const cwd = join(home.path, '..', 'work');
  mkdirSync(cwd);
  const open = (): Promise<Program> => openAt(t, home, env, cwd);
  let program = await open();
  let session: Session = await program.openSession({ surface: 'cli', human: headless });
  for (let turn = 1; turn <= 30; turn += 1) {
    if (turn === 16) {
      // Another process goes on with it.
      const { id } = session;
      await program.close();
      program = await open();
      const row = await program.store?.sessions.get(id);
      assert.ok(row !== undefined);
      session = await program.openSession({ surface: 'cli', human: headless, resume: row });
    }
    if (turn === 22) await session.model.switch('claude-opus-4-5');
    server.enqueue(...answersOf(turn));
    assert.equal(errorOf(await session.agent.runConversation(`Question ${turn}: ${filler}`)), undefined);
  }
  assert.deepEqual(server.violations, []);

  const { requests } = server;
  const systems = new Set(requests.map(({ body }) => JSON.stringify(body.system)));
  const tools = new Set(requests.map(({ body }) => JSON.stringify(body['tools'])));
  assert.equal(systems.size, 1, 'the system prompt changed');
  assert.equal(tools.size, 1, 'the tools changed');
  // Every request begins with the messages of the one before, marks aside.
  const plain = requests.map(({ body }) => body.messages.map((message) => JSON.stringify(message, withoutMarks)));
  for (const [index, messages] of plain.entries()) {
    const before = index === 0 ? [] : (plain[index - 1] ?? []);
    assert.deepEqual(messages.slice(0, before.length), before, `request ${index} rewrites what was sent before`);
  }

  // After the model changed its cache is empty once, which is nobody's fault.
  const counted = requests.filter(({ index, body }) => index > 0 && body.model === requests[index - 1]?.body.model);
  const read = counted.reduce((sum, { usage }) => sum + usage.cache_read_input_tokens, 0);
  const all = counted.reduce(
    (sum, { usage }) => sum + usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
    0,
  );
  const share = read / all;
  assert.ok(share >= 0.95, `only ${(100 * share).toFixed(1)}% of the prompts came from the cache`);
  const row = await program.store?.sessions.get(session.id);
  assert.ok((row?.cache_read_tokens ?? 0) > 0);
});

function withoutMarks(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value;
}
