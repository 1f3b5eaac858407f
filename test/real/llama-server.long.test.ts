/** The real server of llama.cpp with a real small model: three wire formats, its window, a Unix socket, the program. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fetchOver } from '../../src/lib/fetch-over.ts';
import { socketAddress } from '../../src/lib/socket-address.ts';
import { openProtocol } from '../../src/llm/protocols/catalogue.ts';
import { probeContextLength } from '../../src/models/knowledge/probe-context.ts';
import { ask, askInVain } from '../llm/protocols/ask.ts';
import { runProgram } from './program.ts';
import { formats, look } from './asked.ts';
import { pythonPackages } from './python-packages.ts';
import { startServer } from './server-process.ts';
import { smolModel } from './smol-model.ts';

const window = 4096;
const script = fileURLToPath(new URL('llama-server.py', import.meta.url));

interface Installed {
  readonly python: string;
  readonly model: string;
}

async function installed(): Promise<Installed | string> {
  const packages = await pythonPackages('xllamacpp', ['xllamacpp==2026.10.11549']);
  if (typeof packages === 'string') return packages;
  const model = await smolModel();
  return typeof model === 'string' ? model : { python: packages.python, model: model.path };
}

async function startLlama(t: TestContext, { python, model }: Installed): Promise<string> {
  const args = (port: number) => [script, model, String(port), String(window)];
  return await startServer(t, { command: python, args, ready: '/health' });
}

test('llama.cpp answers, takes a call and its result in three formats, tells its window, and when it is full', async (t) => {
  const has = await installed();
  if (typeof has === 'string') return t.skip(has);
  const url = await startLlama(t, has);
  assert.equal(await probeContextLength({ baseUrl: `${url}/v1`, model: 'smollm2' }), window);
  for (const [mode, path] of formats) {
    for (const stream of [true, false]) {
      const protocol = await openProtocol(mode, { provider: 'custom', baseUrl: url + path });
      const asked = { model: 'smollm2', maxTokens: 4, temperature: 0, stream, tools: [look] } as const;
      const name = `${mode} ${stream ? 'streamed' : 'whole'}`;
      const { text, done } = await ask(protocol, { ...asked, tools: [] });
      assert.ok(text.length > 0, name);
      assert.ok(['stop', 'length'].includes(done.stopReason), `${name}: ${done.stopReason}`);
      const after = await ask(protocol, {
        ...asked,
        messages: [
          { role: 'user', content: 'What is there?' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"door"}' } }],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'a cat' },
        ],
      });
      assert.ok(['stop', 'length', 'tool_calls'].includes(after.done.stopReason), `${name}: ${after.done.stopReason}`);
      const long = [{ role: 'user', content: 'word '.repeat(2 * window) }] as const;
      const { error } = await askInVain(protocol, { ...asked, messages: long });
      assert.equal(error.kind, 'context_overflow', `${name}: ${error.message}`);
      assert.match(error.message, new RegExp(`${window}`), name);
    }
  }
});

const onUnix = process.platform === 'win32' ? { skip: 'no Unix sockets' } : {};

test(
  'hermes -z finds out the window of llama.cpp, and its tools are taken, over a port and over a socket',
  onUnix,
  async (t) => {
    const has = await installed();
    if (typeof has === 'string') return t.skip(has);
    const user = mkdtempSync(join(tmpdir(), 'hermes-llama-'));
    t.after(() => rmSync(user, { recursive: true, force: true }));
    const home = join(user, '.hermes');
    mkdirSync(home, { recursive: true });
    const socket = join(user, 'llama.sock');
    const args = () => [script, has.model, socket, String(window)];
    const fetch = fetchOver({});
    const ready = `${socketAddress(`unix://${socket}`)}/health`;
    await startServer(t, { command: has.python, args, ready, ask: async (url) => (await fetch(url, {})).ok });
    for (const baseUrl of [`unix://${socket}:/v1`, `${await startLlama(t, has)}/v1`]) {
      const model = { provider: 'custom', base_url: baseUrl, default: 'smollm2', max_tokens: 4 };
      writeFileSync(join(home, 'config.yaml'), JSON.stringify({ model }));
      const run = runProgram(['-z', 'Say hello.'], { HOME: user, HERMES_HOME: home });
      assert.ok(run.status === 0 || run.status === 1, `${run.status} ${run.signal}: ${run.stderr}`);
      assert.ok(run.stdout.trim().length > 0, run.stderr);
      assert.match(run.stderr, /^(?:hermes: )?smollm2 has a window of 4,096 tokens/);
    }
  },
);
