/** The real binding with a real, tiny model; where the binding is not installed, this is skipped. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Binding, importBinding } from '../../../src/models/local/binding.ts';
import { LocalModels } from '../../../src/models/local/local-models.ts';
import { ask, clock, doneIn } from './ask-local.ts';
import { end, writeTinyModel } from './tiny-gguf.ts';

/** A variable, so that nobody takes it for a dependency. */
const packageName: string = 'node-llama-cpp';

const address = installedAt();
const options =
  address === undefined ? { skip: 'node-llama-cpp is not installed (or named by NODE_LLAMA_CPP_ENTRY)' } : {};

test(
  'llama.cpp talks, thinks, calls a tool by grammar, keeps what it has read, and stops at once',
  options,
  async (t) => {
    const home = mkdtempSync(join(tmpdir(), 'hermes-llama-'));
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const file = (name: string) => join(home, `${name}.gguf`);
    writeTinyModel(file('talk'), {
      contextLength: 2048,
      chains: [['\n', '<think>', 'Let me see.', '</think>', 'Hello', ' world', end]],
    });
    writeTinyModel(file('call'), {
      contextLength: 2048,
      chains: [
        ['\n', '||call: ', 'clock'],
        ['(', '{"zone": "Paris", "exact": null}', ')', end],
      ],
    });
    writeTinyModel(file('endless'), { contextLength: 512, chains: [['\n', 'again ', 'and ', 'again ']] });
    const binding = async (): Promise<Binding> => await importBinding(address ?? '');
    const models = new LocalModels({ home, userDirectory: home, binding });
    t.after(() => models.close());

    const talk = await models.open(file('talk'), undefined);
    assert.equal(talk.contextLength, 2048);
    const said = doneIn(await ask(talk));
    assert.equal(said.message.content, '<think>Let me see.</think>Hello world');
    assert.equal(said.message.reasoning, 'Let me see.');
    assert.equal(said.stopReason, 'stop');
    assert.ok((said.usage?.input ?? 0) > 20);
    const again = doneIn(await ask(talk));
    assert.ok((again.usage?.cacheRead ?? 0) > (again.usage?.input ?? 0), 'the prompt was read again');

    const called = doneIn(await ask(await models.open(file('call'), undefined), { tools: [clock] }));
    assert.equal(called.stopReason, 'tool_calls');
    assert.deepEqual(
      called.message.tool_calls?.map((call) => call.function),
      [{ name: 'clock', arguments: '{"zone":"Paris"}' }],
    );

    const endless = await models.open(file('endless'), undefined);
    assert.equal(doneIn(await ask(endless, { maxTokens: 4 })).stopReason, 'length');
    const control = new AbortController();
    const reading = (async () => {
      for await (const event of endless.stream(
        { model: 'endless', stream: true, tools: [], messages: [{ role: 'user', content: 'Hi' }] },
        control.signal,
      )) {
        if (event.type !== 'text') continue;
        control.abort();
      }
    })();
    await assert.rejects(reading, { kind: 'aborted' });
    await assert.rejects(ask(endless, { messages: [{ role: 'user', content: 'x'.repeat(2000) }] }), {
      kind: 'context_overflow',
      message: /512 tokens/,
    });
  },
);

function installedAt(): string | undefined {
  const named = process.env['NODE_LLAMA_CPP_ENTRY'];
  if (named !== undefined && named !== '') return named;
  try {
    return import.meta.resolve(packageName);
  } catch {
    return undefined;
  }
}
