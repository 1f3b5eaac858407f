/** Offering a skill to a repository: forks, commits and a pull request in GitHub's wire format. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDownload } from '../../src/skill-hub/download.ts';
import { publishToGithub } from '../../src/skill-hub/publish.ts';
import { type Routes, startJsonServer } from '../fakes/json-server.ts';
import { signal, skillText } from './place.ts';

const skill = {
  name: 'pdf',
  identifier: '/x',
  source: 'local',
  trust: 'community' as const,
  files: new Map([['SKILL.md', Buffer.from(skillText('pdf'))]]),
  metadata: {},
};

function gitRoutes(repo: string): Routes {
  return {
    [`GET /repos/${repo}/git/ref/heads/main`]: { body: { object: { sha: 'c0' } } },
    [`GET /repos/${repo}/git/commits/c0`]: { body: { tree: { sha: 't0' } } },
    [`POST /repos/${repo}/git/blobs`]: { status: 201, body: { sha: 'b1' } },
    [`POST /repos/${repo}/git/trees`]: { status: 201, body: { sha: 't1' } },
    [`POST /repos/${repo}/git/commits`]: { status: 201, body: { sha: 'abcdef0123' } },
    [`POST /repos/${repo}/git/refs`]: { status: 201, body: {} },
  };
}

function repositoryOf(owner: string, push: boolean) {
  return { full_name: `${owner}/skills`, default_branch: 'main', owner: { login: owner }, permissions: { push } };
}

async function publish(routes: Routes) {
  const server = await startJsonServer(routes);
  const download = createDownload({ localHosts: [new URL(server.url).host] });
  const done = publishToGithub(skill, 'them/skills', { download, api: server.url, signal, pollMs: 1 });
  return { server, done };
}

test("a skill is offered to somebody else's repository from a fork, once the fork is there", async () => {
  let looks = 0;
  const { server, done } = await publish({
    ...gitRoutes('me/skills'),
    'GET /repos/them/skills': { body: repositoryOf('them', false) },
    'POST /repos/them/skills/forks': { status: 202, body: repositoryOf('me', true) },
    'GET /repos/me/skills/git/ref/heads/main': () =>
      looks++ === 0 ? { status: 404 } : { body: { object: { sha: 'c0' } } },
    'POST /repos/them/skills/pulls': { status: 201, body: { html_url: 'https://github.com/them/skills/pull/1' } },
  });
  await using _ = server;
  assert.equal(await done, 'https://github.com/them/skills/pull/1');
  const sent = (path: string): unknown =>
    JSON.parse(server.requests.find((asked) => asked.path === path && asked.method === 'POST')?.body ?? '');
  assert.deepEqual(sent('/repos/me/skills/git/trees'), {
    base_tree: 't0',
    tree: [{ path: 'skills/pdf/SKILL.md', mode: '100644', type: 'blob', sha: 'b1' }],
  });
  assert.deepEqual(sent('/repos/them/skills/pulls'), {
    title: 'Add the skill pdf',
    head: 'me:hermes/skill-pdf-abcdef0',
    base: 'main',
    body: '',
  });
});

test('in a repository of our own no fork is made, and what GitHub refuses is named', async () => {
  const { server, done } = await publish({
    ...gitRoutes('them/skills'),
    'GET /repos/them/skills': { body: repositoryOf('them', true) },
    'POST /repos/them/skills/pulls': { status: 403, body: {} },
  });
  await using _ = server;
  await assert.rejects(done, /does not let this token/);
  assert.ok(server.requests.every(({ path }) => !path.endsWith('/forks')));
});
