/** Every source: what it offers, and what comes from it. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeTaps } from '../../src/skill-hub/hub-files.ts';
import { skillSourceSettings } from '../../src/config/skill-settings.ts';
import { openHub } from '../../src/skill-hub/hub.ts';
import { startJsonServer } from '../fakes/json-server.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { openPlace, signal, skillText } from './place.ts';

test('taps are searched by name and description, trusted ones first, and asked once an hour', async (t) => {
  const place = await openPlace(t);
  place.github.push('openai/skills', {
    'skills/pdf/SKILL.md': skillText('pdf'),
    'skills.sh.json': JSON.stringify({ groupings: [{ title: 'Documents', skills: ['pdf'] }] }),
  });
  place.github.push('some/where', {
    'more/pdf-tools/SKILL.md': skillText('pdf-tools'),
    'other/x/SKILL.md': skillText('x'),
  });
  writeTaps(place.homePath, [{ repo: 'some/where', path: 'more/' }]);
  const first = await place.hub.search('pdf', 'github', signal);
  assert.deepEqual(
    first.offers.map(({ identifier, trust, category }) => [identifier, trust, category]),
    [
      ['openai/skills/skills/pdf', 'trusted', 'Documents'],
      ['some/where/more/pdf-tools', 'community', undefined],
    ],
  );
  assert.equal(first.warnings.length, 4, 'the other default repositories are not on this server');
  const asked = place.github.requests.filter(({ path }) => path.includes('openai')).length;
  await place.hub.search('anything', 'github', signal);
  assert.equal(place.github.requests.filter(({ path }) => path.includes('openai')).length, asked);
});

test('a used-up limit names the token that would help; a refused token is said to be refused', async (t) => {
  const place = await openPlace(t);
  place.github.fail({ status: 403, headers: { 'x-ratelimit-remaining': '0' } });
  await assert.rejects(place.hub.fetch('a/b/c', signal), (error: Error & { hint?: string }) => {
    return /limit/.test(error.message) && /GITHUB_TOKEN/.test(error.hint ?? '');
  });
  place.github.fail({ status: 401 });
  await assert.rejects(place.hub.fetch('a/b/c', signal), /refused the token/);
});

test('the token goes to GitHub and nowhere else', async (t) => {
  const place = await openPlace(t, { GITHUB_TOKEN: 'hidden' });
  await using site = await startJsonServer({ 'GET /a/SKILL.md': { body: skillText('a') } });
  place.github.push('a/b', { 'c/SKILL.md': skillText('c') });
  await place.hub.fetch('a/b/c', signal);
  assert.ok(place.github.requests.every(({ headers }) => headers.authorization === 'Bearer hidden'));
  await assert.rejects(place.hub.fetch(`${site.url}/a/SKILL.md`, signal), /private network/);
  assert.deepEqual(site.requests, []);
});

test('skills-sh names are found wherever they stand, with common misspellings', async (t) => {
  const place = await openPlace(t);
  place.github.push('a/b', { 'deep/in/here/pdf/SKILL.md': skillText('pdf') });
  for (const prefix of ['skills-sh', 'skills.sh', 'skils-sh', 'skils.sh']) {
    const { identifier, source } = await place.hub.fetch(`${prefix}/a/b/pdf`, signal);
    assert.deepEqual([identifier, source], ['skills-sh/a/b/pdf', 'skills-sh']);
  }
});

async function siteHub(t: Parameters<typeof temporaryHome>[0], routes: Parameters<typeof startJsonServer>[0]) {
  const { home } = temporaryHome(t);
  const site = await startJsonServer(routes);
  t.after(() => site[Symbol.asyncDispose]());
  const download = { localHosts: [new URL(site.url).host] };
  const hub = openHub({
    homePath: home.path,
    settings: skillSourceSettings({ HOME: home.path }),
    cwd: home.path,
    download,
  });
  return { site, hub, home };
}

test('a site is searched by its address and installed from by its index', async (t) => {
  const { site, hub } = await siteHub(t, {
    'GET /.well-known/skills/index.json': {
      body: { skills: [{ name: 'foo', description: 'About foo', files: ['SKILL.md', 'references/a b.md'] }] },
    },
    'GET /.well-known/skills/foo/SKILL.md': { body: skillText('foo') },
    'GET /.well-known/skills/foo/references/a%20b.md': { body: 'x' },
  });
  const { offers } = await hub.search(`${site.url}/`, 'well-known', signal);
  assert.equal(offers[0]?.identifier, `well-known:${site.url}/.well-known/skills/foo`);
  const { files, trust } = await hub.fetch(offers[0].identifier, signal);
  assert.deepEqual([[...files.keys()], trust], [['SKILL.md', 'references/a b.md'], 'community']);
});

test('an index that names files outside the skill is refused before anything is asked for', async (t) => {
  const { site, hub } = await siteHub(t, {
    'GET /.well-known/skills/index.json': {
      body: { skills: [{ name: 'foo', files: ['SKILL.md', '../../../secret'] }] },
    },
  });
  await assert.rejects(hub.fetch(`well-known:${site.url}/.well-known/skills/foo`, signal), /not a path inside/);
  assert.equal(site.requests.length, 1);
});

test('a single document takes its name from its header, else from the folder in its address', async (t) => {
  const nameless = '---\ndescription: x\n---\nText\n';
  const { site, hub } = await siteHub(t, {
    'GET /a/SKILL.md': { body: skillText('named') },
    'GET /from-folder/SKILL.md': { body: nameless },
    'GET /SKILL.md': { body: nameless },
  });
  const name = async (path: string) => (await hub.fetch(`${site.url}${path}`, signal)).name;
  assert.equal(await name('/a/SKILL.md'), 'named');
  assert.equal(await name('/from-folder/SKILL.md'), 'from-folder');
  assert.equal(await name('/SKILL.md'), undefined);
});

test('a folder is taken without what git keeps in it', async (t) => {
  const place = await openPlace(t);
  const folder = join(place.homePath, '..', 'checkout', 'skills', 'foo');
  mkdirSync(join(folder, '.git'), { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), skillText('foo'));
  writeFileSync(join(folder, '.git', 'config'), 'x');
  const { files } = await place.hub.fetch('./checkout/skills/foo', signal);
  assert.deepEqual([...files.keys()], ['SKILL.md']);
  writeTaps(place.homePath, [{ repo: join(place.homePath, '..', 'checkout'), path: 'skills/' }]);
  assert.equal((await place.hub.search('foo', 'local', signal)).offers[0]?.identifier, folder);
});

test('official skills are those of the package', async (t) => {
  const place = await openPlace(t, { HERMES_BUNDLED_SKILLS: '' });
  const { offers } = await place.hub.search('plan', 'official', signal);
  assert.equal(offers[0]?.identifier, 'official/software-development/plan');
  assert.equal((await place.install('official/software-development/plan')).entry.trust_level, 'builtin');
});

test('an identifier of no source says what there is', async (t) => {
  const place = await openPlace(t);
  await assert.rejects(place.hub.fetch('nonsense', signal), { exitCode: 2 });
  await assert.rejects(place.hub.search('x', 'nowhere', signal), { exitCode: 2 });
});
