/** Work that is far longer than the model's window runs to its end with its goal intact. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openProgram } from '../../src/runtime/open-program.ts';
import type { Program } from '../../src/runtime/program.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { configFor } from '../cli/hermes-process.ts';
import { type TemporaryHome, temporaryHome } from '../config/temporary-home.ts';
import { query } from '../sessions/support.ts';
import { type ModelServer, type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import type { Answer } from '../fakes/model-steps.ts';
import { errorOf } from './support.ts';

const steps = 300;
const facts = { start: 'FACT-START-4711', middle: 'FACT-MIDDLE-0815', end: 'FACT-END-2342' };
const goal = `Read all ${steps} parts of the log and report every code of the form FACT-… in it. One I know already: ${facts.start}`;

interface Home {
  readonly program: Program;
  readonly store: SessionStore;
  readonly home: string;
}

/** A home whose work is to be done by a model of 64,000 tokens. */
async function openHome(t: TestContext, server: ModelServer, moreConfig: string): Promise<Home> {
  const place = temporaryHome(t);
  place.write('config.yaml', configFor(server).replace('model:\n', 'model:\n  context_length: 64000\n') + moreConfig);
  return await openAt(t, place);
}

async function openAt(t: TestContext, { home, env }: TemporaryHome): Promise<Home> {
  const work = join(home.path, '..', 'work');
  mkdirSync(work, { recursive: true });
  for (let part = 1; part <= steps; part += 1) {
    const fact = part === 150 ? facts.middle : part === 295 ? facts.end : 'nothing of note';
    const lines = Array.from(
      { length: 60 },
      (_, line) => `part ${part} line ${line}: the pump ran at ${part * line} rpm`,
    );
    writeFileSync(join(work, `part-${part}.log`), [fact, ...lines].join('\n'));
  }
  const config = await loadConfig({ home, env });
  const program = await openProgram({ home, env, config, cwd: work });
  t.after(() => program.close());
  assert.ok(program.store !== undefined);
  return { program, store: program.store, home: home.path };
}

/** A model that reads one part after the other, remembers only what it is sent, and summarises what it is shown. */
function reader(): { respond: (request: RecordedRequest) => Answer; tooLong: number; summaries: number } {
  let next = 0;
  const state = {
    tooLong: 0,
    summaries: 0,
    respond(request: RecordedRequest): Answer {
      const prompt_tokens = Math.round(request.rawBody.length / 4);
      return { ...state.answer(request), usage: { prompt_tokens, completion_tokens: 20 } };
    },
    answer({ body, rawBody }: RecordedRequest): Answer {
      if (rawBody.length / 4 > 64_000) state.tooLong += 1;
      const seen = [...new Set(rawBody.match(/FACT-[A-Z]+-\d+/g))].join(' ');
      if (rawBody.includes('CONVERSATION-TEXT')) {
        state.summaries += 1;
        return {
          text: `## Goal\nReport every code of the log.\n## Constraints & Preferences\nNone.\n## Completed Actions\nRead up to part ${next}. Codes so far: ${seen}\n## Active State\nReading.\n## Blocked\nNothing.\n## Key Decisions\nNone.\n## Relevant Files\npart-N.log\n## Historical Remaining Work\nRead part ${next + 1}.\n## Critical Context\nNone.`,
        };
      }
      if (body.tools === undefined) return { text: 'unexpected' };
      if (next === 0) {
        next = 1;
        const todos = [{ id: '1', content: 'read all parts', status: 'in_progress' }];
        return { toolCalls: [{ name: 'todo', arguments: { todos } }] };
      }
      if (next > steps) return { text: `The codes: ${seen}` };
      const path = `part-${next}.log`;
      next += 1;
      return { toolCalls: [{ name: 'read_file', arguments: { path } }] };
    },
  };
  return state;
}

test('300 steps on a model of 64,000 tokens reach the goal, with what was planted at the start, in the middle and at the end', async (t) => {
  const model = reader();
  await using server = await startModelServer({ respond: (request) => model.respond(request) });
  const { program, store, home } = await openHome(t, server, 'agent:\n  max_turns: 400\n');
  const session = await program.openSession({ surface: 'cli', human: headless, stored: { title: 'the log' } });
  const first = session.id;
  const result = await session.agent.runConversation(goal);
  assert.equal(errorOf(result), undefined);
  for (const fact of Object.values(facts)) assert.match(result.finalResponse ?? '', new RegExp(fact));
  assert.equal(model.tooLong, 0, 'a request was longer than the window');
  assert.ok(model.summaries >= 3, `${model.summaries} summaries`);
  assert.deepEqual(server.violations, []);
  // The goal stood word for word in every request of the conversation, and open steps came back after each compaction.
  const talked = server.requests.filter(({ body }) => body.tools !== undefined);
  assert.ok(talked.every(({ body }) => JSON.stringify(body.messages).includes(goal)));
  assert.match(JSON.stringify(session.agent.history), /active task list was preserved[\s\S]*read all parts/);

  // Nothing is lost on disk: every part was read once, and most of them were put away by a compaction.
  assert.equal(session.id, first);
  const read = new Map<string, number>();
  const sql = "SELECT content, active FROM messages WHERE tool_name = 'read_file' ORDER BY active";
  for (const { content, active } of query<{ content: string; active: number }>(join(home, 'state.db'), sql)) {
    const part = /part (\d+) line 0/.exec(content)?.[1];
    if (part !== undefined) read.set(part, active);
  }
  assert.equal(read.size, steps);
  assert.ok([...read.values()].filter((active) => active === 0).length > steps / 2);
  const row = await store.sessions.get(first);
  assert.deepEqual(await store.messages.conversation(first), session.agent.history);
  assert.deepEqual([row?.end_reason, row?.title, row?.message_count], [null, 'the log', session.agent.history.length]);
});

test('with a summariser that never works the turn still comes to its end, and the user is told of each compaction without one', async (t) => {
  const model = reader();
  const respond = (request: RecordedRequest) =>
    request.rawBody.includes('CONVERSATION-TEXT')
      ? ({ fault: 'status', status: 500 } as const)
      : model.respond(request);
  await using server = await startModelServer({ respond });
  const { program } = await openHome(t, server, 'agent:\n  max_turns: 400\n  api_max_retries: 0\n');
  const session = await program.openSession({ surface: 'cli', human: headless });
  const notices: string[] = [];
  const turn = session.agent.run(goal);
  for (;;) {
    const next = await turn.next();
    if (next.done === true) {
      assert.equal(errorOf(next.value), undefined);
      assert.match(next.value.finalResponse ?? '', new RegExp(`${facts.start}[\\s\\S]*${facts.end}`));
      break;
    }
    if (next.value.type === 'status' && next.value.kind === 'warning') notices.push(next.value.message);
  }
  assert.ok(notices.length >= 1 && notices.length <= 10, notices.join('\n'));
  for (const notice of notices) assert.match(notice, /no summary could be made.*kept on disk/);
  assert.deepEqual(server.violations, []);
});

test('a refusal that names the window is learned from: the turn goes on, and the next start knows it', async (t) => {
  let refused = 0;
  const model = reader();
  await using server = await startModelServer({
    respond(request) {
      if (request.rawBody.length / 4 > 66_000 && !request.rawBody.includes('CONVERSATION-TEXT')) {
        refused += 1;
        const message =
          "This model's maximum context length is 65536 tokens. Please reduce the length of the messages.";
        return { fault: 'status', status: 400, body: { error: { message } } };
      }
      return model.respond(request);
    },
  });
  const place = temporaryHome(t);
  place.write('config.yaml', `${configFor(server)}agent:\n  max_turns: 400\ncompression:\n  threshold: 1\n`);
  const { program } = await openAt(t, place);
  const session = await program.openSession({ surface: 'cli', human: headless });
  assert.equal(session.agent.route.contextLength, undefined, 'nobody knows it at first');
  const result = await session.agent.runConversation(goal);
  assert.equal(errorOf(result), undefined);
  for (const fact of Object.values(facts)) assert.match(result.finalResponse ?? '', new RegExp(fact));
  assert.ok(refused >= 1 && refused <= 2, `${refused} refusals`);
  await program.close();

  const lengths = readFileSync(join(place.home.path, 'context_length_cache.yaml'), 'utf8');
  assert.equal(lengths, `context_lengths:\n  test-model@${server.url}: 65536\n`);
  const next = await openAt(t, place);
  assert.deepEqual(next.program.warnings, []);
  const later = await next.program.openSession({ surface: 'cli', human: headless });
  assert.equal(later.agent.route.contextLength, 65_536);
  assert.equal(later.model.compressesAt, 65_536);
});
