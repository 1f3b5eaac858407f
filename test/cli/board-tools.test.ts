/** Which tools of a board of tasks a model is offered, as `hermes` is started. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { type ModelServer, startModelServer, type Step } from '../fakes/model-server.ts';
import { textOf } from '../runtime/support.ts';
import { boardTools } from '../tools/kanban/support.ts';
import { hermes, makePlace, ok, type Place } from './hermes-process.ts';

interface Started {
  readonly server: ModelServer;
  readonly place: Place;
  /** The names in the last request that begin with `kanban_`. */
  readonly offered: readonly string[];
  readonly others: readonly string[];
}

async function started(
  t: TestContext,
  args: readonly string[],
  {
    env = {},
    config = '',
    steps = [],
  }: Partial<Readonly<{ env: Record<string, string>; config: string; steps: Step[] }>>,
): Promise<Started> {
  const server = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  t.after(() => server.close());
  const place = makePlace(t, server, config);
  server.enqueue(...steps);
  ok(await hermes(place, ['chat', '-q', 'hello', '-Q', ...args], { env }));
  const names = server.lastRequest.body.tools?.map(({ function: { name } }) => name) ?? [];
  const isBoards = (name: string): boolean => name.startsWith('kanban_');
  return {
    server,
    place,
    offered: names.filter(isBoards).sort(),
    others: names.filter((name) => !isBoards(name)).sort(),
  };
}

const worker = { HERMES_KANBAN_TASK: 't_x', HERMES_KANBAN_STOP_NUDGE: '0' };

suite('tools of boards', { concurrency: 2 }, () => {
  test('--toolsets all → no kanban_*, and nothing of a board is made or said', async (t) => {
    const { offered, others, place, server } = await started(t, ['--toolsets', 'all'], {});
    assert.deepEqual(offered, []);
    assert.ok(others.includes('terminal') && others.includes('cronjob'), others.join(' '));
    assert.doesNotMatch(JSON.stringify(server.requests.map(({ body }) => body)), /kanban/i);
    assert.deepEqual(
      ['kanban.db', 'kanban'].filter((name) => existsSync(join(place.home, name))),
      [],
    );
  });

  test('a worker (HERMES_KANBAN_TASK) with --toolsets web → ten kanban_*, no list, no unblock', async (t) => {
    const { offered, others } = await started(t, ['--toolsets', 'web'], { env: worker });
    assert.deepEqual(offered, boardTools);
    assert.equal(offered.length, 10);
    assert.ok(!offered.includes('kanban_list') && !offered.includes('kanban_unblock'));
    assert.deepEqual(
      others.filter((name) => !name.startsWith('web_')),
      [],
    );
  });

  test('with HERMES_KANBAN_TASK=t_x → ten worker tools, whatever the settings list; a call of the other two does nothing', async (t) => {
    const { offered, server } = await started(t, [], {
      env: worker,
      config: 'toolsets: [hermes-cli, kanban]\n',
      steps: [
        { toolCalls: [{ name: 'kanban_list', arguments: {} }] },
        { toolCalls: [{ name: 'kanban_unblock', arguments: { task_id: 't_x' } }] },
      ],
    });
    assert.deepEqual(offered, boardTools);
    const answers = server.lastRequest.body.messages.filter(({ role }) => role === 'tool');
    assert.equal(answers.length, 2);
    for (const answer of answers) assert.match(textOf(answer), /^{"error":/);
  });
});
