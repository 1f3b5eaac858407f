/** What a script gets from models and providers that misbehave: few requests, a word on stderr, an exit code that fits. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type RecordedRequest, startModelServer, type Step } from '../fakes/model-server.ts';
import { hermes, linesOf, makePlace } from './hermes-process.ts';

const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
const look = (path: string): Step => ({ toolCalls: [{ name: 'read_file', arguments: { path } }] });
const forbidden = (count: number): Step => ({
  toolCalls: [{ name: 'terminal', arguments: { command: `rm -rf ./keep${count}` } }],
});

interface Case {
  readonly name: string;
  readonly respond: (request: RecordedRequest) => Step;
  readonly atMost: number;
  readonly stderr: RegExp;
  readonly stdout?: RegExp;
}

const cases: readonly Case[] = [
  {
    name: 'a provider that asks for an hour is not obeyed: its words end the run',
    respond: () => ({ fault: 'status', status: 429, headers: { 'retry-after': '3600' }, body: 'back at noon' }),
    atMost: 1,
    stderr: /60 min: back at noon/,
  },
  {
    name: 'an answer without end is cut, told, and not asked for again',
    respond: () => ({ fault: 'endless', text: 'and so on ' }),
    atMost: 1,
    stderr: /the answer was cut off: it had no end/,
  },
  {
    name: 'a web page in place of an answer is told after one request',
    respond: () => ({ fault: 'html', status: 200 }),
    atMost: 1,
    stderr: /a web page .* in place of an answer — check the model and the address/,
  },
  {
    name: 'the same call for ever is stopped',
    respond: () => look('nothing-here'),
    atMost: 6,
    stderr: /read_file/,
  },
  {
    name: 'failing calls that vary are stopped',
    respond: ({ index }) => look(`nothing-${index}`),
    atMost: 20,
    stderr: /read_file/,
  },
  {
    name: 'calls that are refused are stopped',
    respond: ({ index }) => forbidden(index),
    atMost: 20,
    stderr: /terminal/,
  },
  {
    name: 'arguments nested past all use are refused and never overflow anything',
    respond: () => ({ toolCalls: [{ name: 'read_file', arguments: deep }] }),
    atMost: 6,
    stderr: /unreadable arguments/,
  },
  {
    name: 'what a content filter stopped is told with its reason',
    respond: () => ({ text: 'I ', finishReason: 'content_filter' }),
    atMost: 1,
    stderr: /filter/,
    stdout: /I/,
  },
];

suite('bad models', { concurrency: 2 }, () => {
  for (const { name, respond, atMost, stderr, stdout } of cases) {
    test(name, async (t) => {
      await using server = await startModelServer({ respond });
      const place = makePlace(t, server, 'agent: {max_turns: 60}\n');
      place.write('config.yaml', place.read('config.yaml').replace('  api_key', '  max_tokens: 200\n  api_key'));
      for (const form of [['-z'], ['chat', '-Q', '-q']]) {
        const before = server.requests.length;
        const run = await hermes(place, [...form, 'go']);
        assert.equal(run.code, 1, run.stderr);
        assert.match(run.stderr, stderr);
        if (stdout !== undefined) assert.match(run.stdout, stdout);
        assert.ok(server.requests.length - before <= atMost, `${server.requests.length - before} requests`);
        assert.ok(linesOf(run.stderr).length < 30 && !/Maximum call stack/.test(run.stderr), run.stderr);
      }
    });
  }

  test('waiting for something with the same command is no loop', async (t) => {
    const command = 'test -f ready';
    await using server = await startModelServer({
      respond: ({ index }) => {
        if (index === 6) return { toolCalls: [{ name: 'terminal', arguments: { command: 'touch ready' } }] };
        return index < 8 ? { toolCalls: [{ name: 'terminal', arguments: { command } }] } : { text: 'READY' };
      },
    });
    const run = await hermes(makePlace(t, server), ['-z', 'wait until it is ready']);
    assert.deepEqual([run.code, run.stdout], [0, 'READY\n'], run.stderr);
  });
});
