/** Registries of skills that are not repositories: what they offer, and what comes from them. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { ZipFile } from 'yazl';
import { skillSourceSettings } from '../../src/config/skill-settings.ts';
import { openHub } from '../../src/skill-hub/hub.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { type Routes, startJsonServer } from '../fakes/json-server.ts';
import { signal, skillText } from './place.ts';

async function hubWith(t: TestContext, routes: Routes) {
  const server = await startJsonServer(routes);
  t.after(() => server[Symbol.asyncDispose]());
  const { home } = temporaryHome(t);
  const { url } = server;
  const hub = openHub({
    homePath: home.path,
    settings: skillSourceSettings({ HOME: home.path }),
    cwd: home.path,
    github: { api: `${url}/api`, raw: `${url}/raw` },
    registries: { clawhub: url, lobehub: url, browseSh: url },
    download: { localHosts: [new URL(url).host], timeoutMs: 3_000 },
  });
  return { hub, server };
}

async function zipOf(text: string): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(text), 'SKILL.md');
  zip.end();
  return await buffer(zip.outputStream);
}

test('ClawHub is searched by itself and gives a skill as the archive of its newest version', async (t) => {
  const { hub, server } = await hubWith(t, {
    'GET /api/v1/search': {
      body: { results: [{ score: 0.9, slug: 'pdf-tools', displayName: 'PDF', summary: 'Work with pdf' }, { odd: 1 }] },
    },
    'GET /api/v1/skills/pdf-tools': { body: { skill: {}, latestVersion: { version: '1.2.0' } } },
    'GET /api/v1/download': {
      headers: { 'content-type': 'application/zip' },
      body: await zipOf(skillText('pdf-tools')),
    },
  });
  const { offers, warnings } = await hub.search('pdf', 'clawhub', signal);
  assert.deepEqual(
    [warnings, offers.map(({ identifier, trust }) => [identifier, trust])],
    [[], [['clawhub/pdf-tools', 'community']]],
  );
  const { name, files, metadata } = await hub.fetch('clawhub/pdf-tools', signal);
  assert.deepEqual([name, [...files.keys()], metadata], ['pdf-tools', ['SKILL.md'], { version: '1.2.0' }]);
  assert.equal(server.requests.at(-1)?.path, '/api/v1/download?slug=pdf-tools&version=1.2.0');
  await hub.search('pdf', 'clawhub', signal);
  assert.equal(server.requests.filter(({ path }) => path.startsWith('/api/v1/search')).length, 1, 'asked once an hour');
});

test('an assistant of LobeHub becomes a skill with its words below a heading', async (t) => {
  const meta = { title: 'Latin teacher', description: 'Teaches: Latin', tags: ['school'] };
  const { hub } = await hubWith(t, {
    'GET /index.json': { body: { schemaVersion: 1, agents: [{ identifier: 'latin', author: 'x', meta }] } },
    'GET /latin.json': { body: { identifier: 'latin', meta, config: { systemRole: 'Speak Latin.' } } },
  });
  assert.equal((await hub.search('latin', 'lobehub', signal)).offers[0]?.identifier, 'lobehub/latin');
  const { files } = await hub.fetch('lobehub/latin', signal);
  const text = files.get('SKILL.md')?.toString('utf8') ?? '';
  assert.match(text, /^---\nname: latin\ndescription: "Teaches: Latin"\n/);
  assert.match(text, /# Latin teacher\n[^]*Speak Latin\.\n$/);
  await assert.rejects(hub.fetch('lobehub/../x', signal), /is no assistant of LobeHub/);
});

test('browse.sh gives skills for single sites', async (t) => {
  const { hub, server } = await hubWith(t, {
    'GET /api/skills': { body: { skills: [{ slug: 'shop.test/find-a1', name: 'find', description: 'Find things' }] } },
    'GET /api/skills/shop.test/find-a1': (request) => ({
      body: { skillMdUrl: `http://${request.headers.host ?? ''}/blob.md` },
    }),
    'GET /blob.md': { headers: { 'content-type': 'text/markdown' }, body: skillText('find') },
  });
  assert.equal((await hub.search('find', 'browse-sh', signal)).offers[0]?.identifier, 'browse-sh/shop.test/find-a1');
  assert.equal((await hub.fetch('browse-sh/shop.test/find-a1', signal)).name, 'find');
  assert.ok(server.requests.length >= 3);
});

test('the skills of plugins in a marketplace are listed by the plugin that brings them', async (t) => {
  const plugins = [{ name: 'documents', description: 'For documents', source: './', skills: ['./skills/pdf'] }];
  const { hub } = await hubWith(t, {
    'GET /raw/anthropics/skills/HEAD/.claude-plugin/marketplace.json': { body: { plugins } },
  });
  const { offers } = await hub.search('pdf', 'claude-marketplace', signal);
  assert.deepEqual(
    offers.map(({ identifier, category, trust }) => [identifier, category, trust]),
    [['claude-marketplace/anthropics/skills/skills/pdf', 'documents', 'trusted']],
  );
});

test('a registry that answers nonsense is named, and the others are still asked', async (t) => {
  const { hub } = await hubWith(t, {
    'GET /index.json': { body: { agents: 'none' } },
    'GET /api/skills': { body: [] },
  });
  const { warnings } = await hub.search('x', 'all', signal);
  assert.ok(warnings.some((line) => line.startsWith('lobehub: LobeHub answered')));
  assert.ok(!warnings.some((line) => line.startsWith('browse-sh')));
});
