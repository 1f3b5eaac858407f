/** What a session is after its history was shortened, and which engine shortens it. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createRuntime } from '../../src/runtime/create-runtime.ts';
import type { Runtime, Session } from '../../src/runtime/runtime.ts';
import { configFor } from '../cli/hermes-process.ts';
import { type TemporaryHome, temporaryHome } from '../config/temporary-home.ts';
import { type ModelServer, type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import type { Answer, Step } from '../fakes/model-steps.ts';

const filler = 'The quick brown fox looks at the lazy dog and writes it all down. '.repeat(40);
const answer: Answer = { text: `I see. ${filler}` };
const summary: Answer = {
  text: '## Goal\nLook at the fox and at the dog.\n## Progress\n### Done\nLooked at both of them for a while.\n## Next Steps\nAnswer the newest question.',
};
const small = 'compression:\n  protect_first_n: 0\n  protect_last_n: 1\n  target_ratio: 0.1\n';

const respond = ({ rawBody, body }: RecordedRequest): Answer => {
  if (rawBody.includes('handover summary')) return summary;
  return body.tools?.length === 1 ? { text: 'Nothing to save.' } : answer;
};

async function open(t: TestContext, { home, env }: TemporaryHome): Promise<Runtime> {
  const cwd = join(home.path, '..', 'work');
  mkdirSync(cwd, { recursive: true });
  const config = await loadConfig({ home, env });
  const flags = { surface: 'cli', allowDemo: false, yolo: false, passSessionId: true, ignoreRules: false };
  const runtime = await createRuntime({ home, env, config, cwd, ...flags });
  t.after(() => runtime.close());
  return runtime;
}

function homeFor(t: TestContext, server: ModelServer, moreConfig: string): TemporaryHome {
  const place = temporaryHome(t);
  place.write('config.yaml', configFor(server) + moreConfig);
  return place;
}

async function talk(session: Session, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) {
    const { error } = await session.agent.runConversation(`question ${turn}`);
    assert.equal(error, undefined);
  }
}

test('the prompt after a compaction names the new session and the time at which the conversation began', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: new Date(2026, 2, 30, 14, 30) });
  await using server = await startModelServer({ respond });
  const place = homeFor(t, server, small);
  const runtime = await open(t, place);
  const session = await runtime.openSession({ human: headless });
  const promptOf = async (id: string) => (await runtime.store?.sessions.get(id))?.system_prompt ?? '';
  await talk(session, 4);
  const first = session.id;
  assert.match(await promptOf(first), new RegExp(`2026 02:30 PM\nSession ID: ${first}\n`));
  t.mock.timers.tick(3_600_000);
  await session.agent.compress();
  const second = session.id;
  assert.notEqual(second, first);
  assert.match(await promptOf(second), new RegExp(`2026 02:30 PM\nSession ID: ${second}\n`));
  await session.close('user_exit');

  // Another process goes on with it, and it grows too long again.
  t.mock.timers.tick(3_600_000);
  const row = await runtime.store?.sessions.get(second);
  assert.ok(row !== undefined);
  const resumed = await runtime.openSession({ human: headless, resume: row });
  await talk(resumed, 4);
  await resumed.agent.compress();
  assert.notEqual(resumed.id, second);
  assert.match(await promptOf(resumed.id), new RegExp(`2026 02:30 PM\nSession ID: ${resumed.id}\n`));
});

test('a context engine that is not known is told once, and the built-in one does the work', async (t) => {
  await using server = await startModelServer({ respond });
  const runtime = await open(t, homeFor(t, server, `context:\n  engine: lcm\n${small}`));
  const warnings: string[] = [];
  const session = await runtime.openSession({ human: headless, onWarning: (line) => warnings.push(line) });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /context\.engine: 'lcm' is not known.*'compressor' is used/);
  await talk(session, 4);
  assert.notEqual((await session.agent.compress()).compaction, undefined);
  assert.equal(warnings.length, 1);
  const known = await open(t, homeFor(t, server, 'context:\n  engine: compressor\n'));
  await known.openSession({ human: headless, onWarning: (line) => warnings.push(line) });
  assert.equal(warnings.length, 1);
});

/** A server that refuses whatever is longer than `tokens`, in these words. */
function refusing(tokens: number, message: string) {
  const counts = { refused: 0, answered: 0 };
  const step = (request: RecordedRequest): Step => {
    const { body, rawBody } = request;
    if (rawBody.length / 4 > tokens && body.tools !== undefined && body.tools.length > 1) {
      counts.refused += 1;
      return { fault: 'status', status: 400, body: { error: { message, code: 'context_length_exceeded' } } };
    }
    counts.answered += 1;
    return respond(request);
  };
  return { counts, step };
}

/** Grows the conversation until the server has refused it once. */
async function overflow(session: Session): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) {
    const { error } = await session.agent.runConversation(`question ${turn}: ${filler.repeat(8)}`);
    assert.equal(error, undefined);
  }
}

test('a window below 64,000 that a refusal named is kept after the retry and only warned of at the next start', async (t) => {
  const message = "This model's maximum context length is 32768 tokens.";
  const { counts, step } = refusing(32_768, message);
  await using server = await startModelServer({ respond: step });
  const place = homeFor(t, server, small);
  const runtime = await open(t, place);
  assert.deepEqual(runtime.warnings, []);
  await overflow(await runtime.openSession({ human: headless }));
  assert.equal(counts.refused, 1);
  await runtime.close();
  const key = `test-model@${server.url}`;
  assert.match(readFileSync(join(place.home.path, 'context_length_cache.yaml'), 'utf8'), new RegExp(`${key}"?: 32768`));

  const next = await open(t, place);
  assert.equal(next.warnings.length, 1);
  assert.match(next.warnings[0] ?? '', /32,768 tokens only.*64,000.*context_length_cache\.yaml/);
  const session = await next.openSession({ human: headless });
  assert.equal(session.agent.route.contextLength, 32_768);
  await overflow(session);
  assert.equal(counts.refused, 1, 'it is not run into again');
});

test('a refusal after which nothing gets through is not written down', async (t) => {
  const body = { error: { message: 'maximum context length is 32768 tokens' } };
  const refusal: Step = { fault: 'status', status: 400, body };
  let talked = 0;
  await using server = await startModelServer({
    respond(request) {
      if (request.rawBody.includes('handover summary')) return summary;
      talked += 1;
      return talked <= 8 && request.body.tools !== undefined ? answer : refusal;
    },
  });
  const place = homeFor(t, server, small);
  const session = await (await open(t, place)).openSession({ human: headless });
  await talk(session, 8);
  const { error } = await session.agent.runConversation('one more');
  assert.match(error ?? '', /32768|no longer fits/);
  assert.ok(!existsSync(join(place.home.path, 'context_length_cache.yaml')));
});

test('a refusal without a number goes a step down and writes nothing', async (t) => {
  const { counts, step } = refusing(32_768, 'Your input is too long for the context window of this model.');
  await using server = await startModelServer({ respond: step });
  const place = homeFor(t, server, small);
  await overflow(await (await open(t, place)).openSession({ human: headless }));
  assert.ok(counts.refused >= 1);
  assert.ok(!existsSync(join(place.home.path, 'context_length_cache.yaml')));
});
