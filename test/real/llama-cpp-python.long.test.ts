/** The real server of llama-cpp-python with a real small model. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, askInVain, protocolAt } from '../llm/protocols/ask.ts';
import { pythonPackages } from './python-packages.ts';
import { startServer } from './server-process.ts';
import { smolModel } from './smol-model.ts';

const window = 1024;
const look = {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
};

test('SmolLM2 behind llama-cpp-python answers, takes a tool conversation, and says when its window is full', async (t) => {
  const packages = await pythonPackages('llama-cpp-python', ['llama-cpp-python[server]==0.3.36']);
  if (typeof packages === 'string') return t.skip(packages);
  const model = await smolModel();
  if (typeof model === 'string') return t.skip(model);
  const url = await startServer(t, {
    command: packages.python,
    args: (port) =>
      `-m llama_cpp.server --model_alias smollm2 --host 127.0.0.1 --port ${port} --n_ctx ${window} --n_threads 1 --n_threads_batch 1 --model`
        .split(' ')
        .concat(model.path),
    ready: '/v1/models',
  });
  const protocol = protocolAt(`${url}/v1`);
  const asked = { model: 'smollm2', maxTokens: 4, temperature: 0 } as const;
  for (const stream of [true, false]) {
    const { text, done } = await ask(protocol, {
      ...asked,
      stream,
      messages: [{ role: 'user', content: 'Say hello.' }],
    });
    assert.ok(text.length > 0);
    assert.ok(['stop', 'length'].includes(done.stopReason), done.stopReason);
  }
  // A call without text went out with null once, and was answered with status 500.
  const after = await ask(protocol, {
    ...asked,
    tools: [look],
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
  assert.ok(['stop', 'length', 'tool_calls'].includes(after.done.stopReason));
  const long = [{ role: 'user', content: 'word '.repeat(2 * window) }] as const;
  // Streamed, it hangs up without a word; the agent then asks for the answer as a whole.
  const { error } = await askInVain(protocol, { ...asked, stream: false, messages: long });
  assert.equal(error.kind, 'context_overflow', error.message);
  assert.match(error.message, new RegExp(`${window}`));
});
