/** Clients from PyPI that know OpenAI's servers, in front of ours: the official one, litellm, and llm. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { RecordedRequest } from '../fakes/model-server.ts';
import { type Api, key, startApi } from '../http/api/support.ts';
import { pythonPackages } from './python-packages.ts';

const run = promisify(execFile);
const script = new URL('api-clients.py', import.meta.url).pathname;
/** Importing a client takes seconds, and more on a busy machine. */
const askMs = 240_000;

/** Looks into the file first, then says what is in it. */
function readsFirst({ body: { messages } }: RecordedRequest) {
  if (messages.at(-1)?.role === 'tool') return { text: 'It says hello.' };
  return { text: 'Let me look.', toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] };
}

async function startAsked(t: TestContext): Promise<Api> {
  const api = await startApi(t, { respond: readsFirst });
  api.place.put('a.txt', 'hello\n');
  return api;
}

async function asked(t: TestContext, packages: readonly string[], what: string): Promise<unknown> {
  const python = await pythonPackages(`api-${what}`, packages);
  if (typeof python === 'string') return t.skip(python);
  const { url } = await startAsked(t);
  const env = {
    PATH: process.env['PATH'],
    HOME: tmpdir(),
    NO_PROXY: '127.0.0.1',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  };
  const { stdout } = await run(python.python, [script, what, `${url}/v1`, key], { env, timeout: askMs });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

const streamed = 'Let me look.\n\nIt says hello.';

test('the official client reads answers, streams, stream helpers and chains', async (t) => {
  const answer = await asked(t, ['openai==3.57.0'], 'official');
  if (answer === undefined) return;
  assert.deepEqual(answer, {
    models: ['hermes-agent'],
    whole: 'It says hello.',
    stream: streamed,
    helper: streamed,
    response: streamed,
    types: ['message', 'function_call', 'function_call_output', 'message'],
    chained: 'It says hello.',
  });
});

test('litellm reads answers and streams', async (t) => {
  const answer = await asked(t, ['litellm==1.106.2'], 'litellm');
  if (answer === undefined) return;
  assert.deepEqual(answer, { whole: 'It says hello.', stream: streamed, tokens: 30 });
});

test('llm asks it as a model of its own', async (t) => {
  const python = await pythonPackages('api-llm', ['llm==0.36']);
  if (typeof python === 'string') return t.skip(python);
  const { url } = await startAsked(t);
  const home = mkdtempSync(join(tmpdir(), 'hermes-llm-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, 'llm'));
  const models = `- model_id: hermes\n  model_name: hermes-agent\n  api_base: ${url}/v1\n  api_key_name: hermes\n`;
  writeFileSync(join(home, 'llm', 'extra-openai-models.yaml'), models);
  writeFileSync(join(home, 'llm', 'keys.json'), JSON.stringify({ hermes: key }));
  const env = { PATH: process.env['PATH'], HOME: home, LLM_USER_PATH: join(home, 'llm'), NO_PROXY: '127.0.0.1' };
  const ask = async (...more: string[]) => {
    const running = run(python.script('llm'), ['-m', 'hermes', ...more, 'What is in a.txt?'], { env, timeout: askMs });
    // It reads what comes from a pipe as well, to its end.
    running.child.stdin?.end();
    return (await running).stdout;
  };
  assert.equal((await ask()).trim(), streamed);
  assert.equal((await ask('--no-stream')).trim(), 'It says hello.');
});
