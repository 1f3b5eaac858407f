/** Merging of skills by a model: what it may touch, and that nothing is lost. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createConsolidate } from '../../../src/runtime/learning/consolidate.ts';
import type { Candidate } from '../../../src/curator/plan.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { makeHome, skillText } from '../../skills/support.ts';
import { skillManageTool } from '../../../src/tools/skills/skill-manage.ts';
import { skillViewTool } from '../../../src/tools/skills/skill-view.ts';
import { skillsListTool } from '../../../src/tools/skills/skills-list.ts';
import { openWorkplace } from '../../tools/file/support.ts';
import { allowAll, sideModels } from './support.ts';

const { signal } = new AbortController();

async function setUp(t: TestContext, server: ModelServer, writeApproval = false) {
  const home = makeHome(t);
  for (const name of ['a', 'b', 'mine']) home.put(`skills/${name}/SKILL.md`, skillText(name, `About ${name}`));
  const archived: string[] = [];
  const side = await sideModels(server);
  const skills = home.library({ origin: 'background_review' });
  const { services } = openWorkplace(t, { services: { knowledge: { skills } } });
  const consolidate = createConsolidate({
    run: side.run,
    tools: { list: [skillsListTool, skillViewTool, skillManageTool], services, policy: allowAll },
    archive: (name) => {
      archived.push(name);
      return Promise.resolve();
    },
    writeApproval,
  });
  const candidates = ['a', 'b'].map(
    (name): Candidate => ({
      name,
      directory: `${home.path}/skills/${name}`,
      place: name,
      origin: 'agent',
      state: 'active',
      lastActive: new Date(0),
      idleDays: 3,
    }),
  );
  return { home, archived, side, run: () => consolidate(candidates, signal) };
}

const manage = (action: string, name: string, more: object = {}) => ({
  name: 'skill_manage',
  arguments: { action, name, ...more },
});
const archive = (name: string, into?: string) => ({
  name: 'skill_archive',
  arguments: { name, ...(into === undefined ? {} : { merged_into: into }) },
});

test('skills of the user cannot be changed, nothing is deleted, and only candidates are archived', async (t) => {
  await using server = await startModelServer();
  const { home, archived, run, side } = await setUp(t, server);
  const content = skillText('mine', 'Taken over');
  server.enqueue(
    {
      toolCalls: [
        manage('edit', 'mine', { content }),
        manage('delete', 'a'),
        archive('mine'),
        archive('a', 'a'),
        { name: 'terminal', arguments: { command: 'rm -rf /' } },
      ],
    },
    { toolCalls: [manage('patch', 'a', { old_string: 'step by step', new_string: 'well' }), archive('b', 'a')] },
    { text: 'Done.' },
  );
  const merges = await run();
  assert.deepEqual(merges, { merged: { b: 'a' }, summary: 'Done.' });
  assert.deepEqual(archived, ['b']);
  assert.equal(home.get('skills/mine/SKILL.md'), skillText('mine', 'About mine'));
  assert.match(home.get('skills/a/SKILL.md'), /Do it well/);
  assert.deepEqual(new Set(side.booked), new Set(['curator']));
  assert.deepEqual(
    server.requests[0]?.body.tools?.map((tool) => tool.function.name),
    ['skill_archive', 'skill_manage', 'skill_view', 'skills_list'],
  );
});

test('what was merged before the model failed is in the report', async (t) => {
  await using server = await startModelServer();
  const { run } = await setUp(t, server);
  server.enqueue({ toolCalls: [archive('b', 'a')] }, { fault: 'status', status: 401 });
  const { merged, error } = await run();
  assert.deepEqual(merged, { b: 'a' });
  assert.ok(error !== undefined);
});

test('where writes need approval nothing is asked and nothing archived', async (t) => {
  await using server = await startModelServer();
  const { run, archived } = await setUp(t, server, true);
  assert.match((await run()).error ?? '', /write_approval/);
  assert.deepEqual([server.requests.length, archived], [0, []]);
});
