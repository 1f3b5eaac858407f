/**
 * One conversation that delegates, in a process of its own: `node --expose-gc sub-agents.ts <home> <count>`. Its model is in
 * the process and answers at once, so that what is measured is what sub-agents cost over their requests. Prints the
 * processor time of so many that follow each other in calls of ten, and the memory while so many wait for their model.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { headless } from '../../src/agent/human.ts';
import { loadConfig } from '../../src/config/load.ts';
import { textOf } from '../../src/llm/message.ts';
import type { ModelEvent, ModelRequest, ModelRoute } from '../../src/llm/protocol.ts';
import { openProgram } from '../../src/runtime/open-program.ts';

const [path = '', size = ''] = process.argv.slice(2);
const count = Number(size);
const together = 10;
const home = { path, root: path, profile: 'default' };
const env = { HOME: path, PATH: process.env['PATH'], DELEGATION_MAX_CONCURRENT_CHILDREN: size };
const waiting = Promise.withResolvers<undefined>();
const allWait = Promise.withResolvers<undefined>();
let waits = false;
let arrived = 0;
/** Tasks of the next call. */
let tasks = together;

const route: ModelRoute = {
  provider: 'custom',
  model: 'bench',
  baseUrl: 'http://127.0.0.1:1/v1',
  apiMode: 'chat_completions',
  protocol: { stream },
  contextLength: 1_000_000,
  streaming: true,
};

async function* stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
  const isChild = textOf(messages[0]?.content ?? '').includes('You are a sub-agent');
  if (isChild) {
    arrived += 1;
    if (waits && arrived === count) allWait.resolve(undefined);
    if (waits) await waiting.promise;
  } else if (messages.at(-1)?.role === 'user') {
    const goals = Array.from({ length: tasks }, (_each, index) => ({ goal: `part ${index}` }));
    const call = { name: 'delegate_task', arguments: JSON.stringify({ tasks: goals }) };
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${arrived}`, type: 'function', function: call }],
    };
    yield { type: 'done', message, stopReason: 'tool_calls' } as ModelEvent;
    return;
  }
  yield { type: 'done', message: { role: 'assistant', content: 'Done.' }, stopReason: 'stop' };
}

const program = await openProgram({ home, env, config: await loadConfig({ home, env }), cwd: path });
const session = await program.openSession({ surface: 'cli', human: headless, route });
const say = async (): Promise<void> => {
  const result = await session.agent.runConversation('go');
  if (result.ended !== 'completed') throw new Error(JSON.stringify(result));
};
await say();
await say();
const alone = await settled();
arrived = 0;
const before = process.cpuUsage();
for (let done = 0; done < count; done += together) await say();
const { user, system } = process.cpuUsage(before);
if (arrived !== count) throw new Error(`${arrived} of ${count} sub-agents asked their model`);
waits = true;
tasks = count;
arrived = 0;
const turn = say();
await allWait.promise;
const held = await settled();
waiting.resolve(undefined);
await turn;
process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1000 / count, alone, held }));
await program.close();

/** Resident bytes when everything was collected that can be. */
async function settled(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    await sleep(100);
    globalThis.gc?.();
  }
  return process.memoryUsage().rss;
}
