/** What a model refused is left out by later processes too, for a while. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { noLog } from '../../src/lib/log.ts';
import type { ApiMode, ModelRequest } from '../../src/llm/protocol.ts';
import { openProtocol } from '../../src/llm/protocols/catalogue.ts';
import { RefusedParts } from '../../src/runtime/refused-parts.ts';
import { hermes, makePlace } from '../cli/hermes-process.ts';
import { startAnthropicServer } from '../fakes/anthropic-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { startOllamaServer } from '../fakes/ollama-server.ts';
import { startResponsesServer } from '../fakes/responses-server.ts';
import { ask, askInVain } from '../llm/protocols/ask.ts';

function fileIn(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-refused-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'cache', 'refused_parts.json');
}

/** One request of a program that has just started. */
async function once(path: string, mode: ApiMode, baseUrl: string, request: Partial<ModelRequest>) {
  const refusals = new RefusedParts(path, noLog).at(mode, baseUrl);
  return await ask(await openProtocol(mode, { provider: 'custom', baseUrl, refusals }), request);
}

const refusal = (message: string) => ({ fault: 'status', status: 400, body: { error: { message } } }) as const;

test('a part that a model refused is asked for once: later processes leave it out, whatever the format', async (t) => {
  const path = fileIn(t);
  await using chat = await startModelServer();
  chat.enqueue(
    refusal("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
    refusal("Unsupported value: 'temperature' does not support 0.2 with this model."),
    { text: 'ok' },
    { text: 'ok' },
  );
  for (const _process of [1, 2]) await once(path, 'chat_completions', chat.url, { maxTokens: 9, temperature: 0.2 });
  assert.deepEqual(
    chat.requests.map(({ body }) =>
      ['max_tokens', 'max_completion_tokens', 'temperature'].filter((name) => name in body),
    ),
    [
      ['max_tokens', 'temperature'],
      ['max_completion_tokens', 'temperature'],
      ['max_completion_tokens'],
      ['max_completion_tokens'],
    ],
  );

  await using claude = await startAnthropicServer();
  claude.enqueue(refusal('thinking: Extra inputs are not permitted'), { text: 'ok' }, { text: 'ok' });
  const thinks = { model: 'claude-opus-4-6', reasoningEffort: 'medium' } as const;
  for (const _process of [1, 2]) await once(path, 'anthropic_messages', claude.url, thinks);
  assert.deepEqual(
    claude.requests.map(({ body }) => 'thinking' in body),
    [true, false, false],
  );

  await using openAi = await startResponsesServer();
  openAi.enqueue(
    refusal("Unsupported value: 'xhigh' is not supported with this model. Supported values are: 'low', 'medium'."),
    refusal("Unknown parameter: 'prompt_cache_key'."),
    { text: 'ok' },
    { text: 'ok' },
  );
  const effort = { reasoningEffort: 'xhigh', sessionId: 's1' } as const;
  for (const _process of [1, 2]) await once(path, 'codex_responses', openAi.url, effort);
  const [, , learned, later] = openAi.requests.map(({ body }) => [body['reasoning'], 'prompt_cache_key' in body]);
  assert.deepEqual(learned, [{ effort: 'medium', summary: 'auto' }, false]);
  assert.deepEqual(later, learned);
  assert.equal(openAi.requests.length, 4);

  await using ollama = await startOllamaServer();
  ollama.enqueue({ error: { status: 400, message: `"test-model" does not support thinking` } }, { text: 'ok' });
  for (const _process of [1, 2]) await once(path, 'ollama_chat', ollama.url, { reasoningEffort: 'high' });
  assert.deepEqual(
    ollama.requests.map(({ body }) => 'think' in body),
    [true, false, false],
  );
});

test('what another model, address or format refused does not count', async (t) => {
  const path = fileIn(t);
  const refused = new RefusedParts(path, noLog);
  refused.at('chat_completions', 'http://user:secret@one.test/v1/?key=secret').keep('a', ['temperature']);
  const later = new RefusedParts(path, noLog);
  assert.deepEqual(later.at('chat_completions', 'http://user:other@one.test/v1').of('a'), ['temperature']);
  assert.deepEqual(later.at('chat_completions', 'http://user:secret@one.test/v1').of('b'), []);
  assert.deepEqual(later.at('chat_completions', 'http://two.test/v1').of('a'), []);
  assert.deepEqual(later.at('codex_responses', 'http://user:secret@one.test/v1').of('a'), []);
  assert.doesNotMatch(readFileSync(path, 'utf8'), /secret/);
});

test('a part whose absence did not help is not remembered', async (t) => {
  const path = fileIn(t);
  await using server = await startModelServer();
  server.enqueue(refusal('temperature is not supported'), refusal('The model is being updated.'));
  const refusals = new RefusedParts(path, noLog).at('chat_completions', server.url);
  const protocol = await openProtocol('chat_completions', { provider: 'custom', baseUrl: server.url, refusals });
  await askInVain(protocol, { temperature: 0.2 });
  server.enqueue({ text: 'ok' });
  await once(path, 'chat_completions', server.url, { temperature: 0.2 });
  assert.ok('temperature' in server.lastRequest.body);
});

test('after a week it is tried again, the oldest of very many are forgotten, and a damaged file is none', (t) => {
  const path = fileIn(t);
  let now = 1_000_000_000_000;
  const open = () => new RefusedParts(path, noLog, () => now).at('chat_completions', 'http://one.test/v1');
  open().keep('a', ['thinking']);
  now += 7 * 24 * 60 * 60_000 - 1;
  assert.deepEqual(open().of('a'), ['thinking']);
  now += 1;
  assert.deepEqual(open().of('a'), []);
  for (let count = 0; count < 301; count += 1) open().keep(`m${count}`, ['thinking']);
  assert.deepEqual([open().of('m0'), open().of('m1')], [[], ['thinking']]);
  now -= 30 * 24 * 60 * 60_000;
  assert.deepEqual(open().of('m1'), [], 'a time that cannot be');
  for (const text of ['', '{"a":', '[]', '{"chat_completions http://one.test/v1 a":{"parts":"thinking","until":1}}']) {
    writeFileSync(path, text);
    assert.deepEqual(open().of('a'), []);
  }
});

test('a second `hermes -z` does not ask for what the first was refused', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'PONG' }) });
  const place = makePlace(t, server, 'agent:\n  reasoning_effort: high\n');
  const refuse = { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] };
  server.enqueue({ fault: 'status', status: 422, body: refuse });
  for (const _run of [1, 2]) {
    const run = await hermes(place, ['-z', 'ping']);
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
  }
  assert.deepEqual(
    server.requests.map(({ body }) => 'stream_options' in body),
    [true, false, false],
  );
});
