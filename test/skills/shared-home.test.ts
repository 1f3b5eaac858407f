/** Homes that others use too: one left by another program, and two processes at work at once. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { noLog } from '../../src/lib/log.ts';
import { SkillUsage } from '../../src/skills/usage.ts';
import { makeHome, plainSettings, skillText } from './support.ts';

const signal = new AbortController().signal;

/** The program of a process of its own: home, and whether it takes the even or the odd lines. */
const patchEverySecondLine = `
import { createSkillLibrary } from ${JSON.stringify(import.meta.resolve('../../src/skills/skill-library.ts'))};
import { skillEnvironment } from ${JSON.stringify(import.meta.resolve('../../src/config/skill-settings.ts'))};
const [homePath, worker] = process.argv.slice(1);
const settings = ${JSON.stringify(plainSettings)};
const library = createSkillLibrary({ homePath, settings, surface: 'cli', environment: skillEnvironment({}) });
for (let index = Number(worker); index < 20; index += 2) {
  const request = { action: 'patch', name: 'foo', old_string: 'line-' + index + '.', new_string: 'changed-' + index + '.' };
  const answer = await library.apply(request, {}, new AbortController().signal);
  if (!answer.success) throw new Error(JSON.stringify(answer));
}
`;

test('a home with skills, ledgers, usage and pending changes of another program is taken as it is', async (t) => {
  const home = makeHome(t);
  home.put('skills/mlops/DESCRIPTION.md', '---\ndescription: Machine learning\n---\n');
  home.put(
    'skills/mlops/training/tune/SKILL.md',
    `---
name: tune
description: "Fine-tune a model: data, run, check"
version: 1.2.0
author: Somebody
license: MIT
platforms: [linux, macos]
prerequisites:
  env_vars: [HUB_TOKEN]
metadata:
  hermes:
    tags: [Training, Models]
    related_skills: [eval]
---

# Tune
`,
  );
  home.put('skills/.bundled_manifest', 'tune:0123456789abcdef0123456789abcdef\nold-style\n');
  home.put('skills/.hub/lock.json', JSON.stringify({ version: 1, installed: { 'from-hub': { source: 'github' } } }));
  home.put('skills/.hub/quarantine/bad/SKILL.md', skillText('bad', 'Quarantined'));
  home.put('skills/.archive/gone/SKILL.md', skillText('gone', 'Archived'));
  home.put('skills/tools/from-hub/SKILL.md', skillText('from-hub', 'From the hub'));
  home.put('skills/tools/mine/SKILL.md', skillText('mine', 'Mine'));
  const usage = {
    mine: {
      use_count: 3,
      view_count: 1,
      last_used_at: '2026-01-01T00:00:00+00:00',
      state: 'active',
      pinned: false,
      future_key: [1],
    },
  };
  home.put('skills/.usage.json', JSON.stringify(usage));
  home.put(
    '.skills_prompt_snapshot.json',
    JSON.stringify({ version: 1, manifest: { 'tools/mine/SKILL.md': [1, 2] }, skills: [] }),
  );
  home.put(
    'pending/skills/abc12345.json',
    JSON.stringify({
      id: 'abc12345',
      created_at: 1_767_225_600.5,
      origin: 'background_review',
      payload: { action: 'create', name: 'noted', content: skillText('noted', 'Noted'), category: null },
    }),
  );

  const library = home.library();
  const index = await library.index();
  assert.match(
    index,
    / {2}mlops\/training:\n {4}- tune: Fine-tune a model: data, run, check\n {2}tools:\n {4}- from-hub: From the hub\n {4}- mine: Mine\n/,
  );
  assert.doesNotMatch(index, /Quarantined|Archived/);
  for (const name of ['tune', 'from-hub', 'mine']) assert.equal((await library.view(name, { signal })).success, true);
  const after = JSON.parse(home.get('skills/.usage.json'));
  assert.deepEqual(Object.keys(after), ['mine']);
  assert.equal(after.mine.view_count, 2);
  assert.deepEqual(after.mine.future_key, [1]);

  const [change] = library.pending.list();
  assert.equal(change?.summary, 'create noted');
  assert.equal((await library.pending.approve('abc12345', signal)).success, true);
  assert.equal(JSON.parse(home.get('skills/.usage.json')).noted.created_by, 'agent');
});

test('a damaged usage file is left alone', async (t) => {
  const home = makeHome(t);
  home.put('skills/a/one/SKILL.md', skillText('one', 'One'));
  home.put('skills/.usage.json', '{"one": {"use_count": 12');
  const logged: string[] = [];
  const log = { ...noLog, warning: (line: string) => void logged.push(line) };
  assert.equal((await home.library({ log }).view('one', { signal })).success, true);
  assert.equal(home.get('skills/.usage.json'), '{"one": {"use_count": 12');
  assert.deepEqual(logged, ["the use of skill 'one' was not counted"]);
  const usage = new SkillUsage(home.path, () => new Date(), noLog);
  assert.deepEqual([usage.read(), usage.isPinned('one')], [{}, false]);
  await assert.rejects(usage.set('one', { pinned: true }), /cannot be read/);
});

test('two processes that change one skill at once lose nothing', async (t) => {
  const home = makeHome(t);
  const lines = Array.from({ length: 20 }, (_, index) => `line-${index}.`).join('\n');
  home.put('skills/a/foo/SKILL.md', skillText('foo', 'Foo', '', lines));
  const workers = [0, 1].map((worker) =>
    spawn(process.execPath, ['--input-type=module', '-e', patchEverySecondLine, home.path, `${worker}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const codes = await Promise.all(workers.map(async (child) => (await once(child, 'exit'))[0]));
  assert.deepEqual(codes, [0, 0]);
  const text = home.get('skills/a/foo/SKILL.md');
  for (let index = 0; index < 20; index++) assert.ok(text.includes(`changed-${index}.`), text);
  assert.equal(JSON.parse(home.get('skills/.usage.json')).foo.patch_count, 20);
  assert.deepEqual(readdirSync(join(home.path, 'skills/a/foo')), ['SKILL.md']);
});
