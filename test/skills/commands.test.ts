/** Skills and bundles as slash commands, and skills for a whole session. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { createBundle, deleteBundle, readBundles } from '../../src/skills/bundles.ts';
import { commandName } from '../../src/skills/command-name.ts';
import { makeHome, skillText } from './support.ts';

const use = { signal: new AbortController().signal, sessionId: 's1' };

test('a skill command becomes one message with directory, text, setup note, files, settings and instruction', async (t) => {
  const home = makeHome(t);
  const header =
    'prerequisites:\n  env_vars: [X_KEY]\nmetadata:\n  hermes:\n    config:\n      - key: foo.size\n        default: 3';
  home.put('skills/dev/foo_dir/SKILL.md', skillText('Foo Tool', 'Foo', header, 'See ${HERMES_SKILL_DIR}.'));
  home.put('skills/dev/foo_dir/references/a.md', 'A');
  const library = home.library();
  const before = await library.index();
  const directory = `${home.path}/skills/dev/foo_dir`;
  const answer = await library.command('foo-tool', 'do it', use);
  assert.deepEqual(answer, {
    message: [
      '[The user has invoked the "Foo Tool" skill and wants you to follow its instructions. The full skill is below.]',
      `[Skill directory: ${directory}]`,
      skillText('Foo Tool', 'Foo', header, `See ${directory}.`).trim(),
      '[Skill setup note: Setup needed before all of this skill works: missing environment variable $X_KEY.]',
      '[This skill has supporting files:]\n- references/a.md\nLoad one with skill_view(name="foo_dir", file_path="<path>").',
      '[Skill config (from ~/.hermes/config.yaml):\n  foo.size = 3\n]',
      "The user's instruction with this command: do it",
    ].join('\n\n'),
    isOwnWords: false,
  });
  assert.equal(await library.index(), before);
  assert.equal(JSON.parse(home.get('skills/.usage.json')).foo_dir.use_count, 1);
  const bare = await library.command('FOO_TOOL', ' ', use);
  assert.ok(bare !== undefined && 'message' in bare && bare.message.endsWith(']'));
  assert.equal(await library.command('nothing', '', use), undefined);
});

test('names become commands; hidden skills have none; a bundle wins over a skill', async (t) => {
  assert.equal(commandName('My Cool_Skill!'), 'my-cool-skill');
  assert.equal(commandName('../..'), '');
  const home = makeHome(t);
  home.put('skills/a/one/SKILL.md', skillText('one', 'One'));
  home.put('skills/a/two/SKILL.md', skillText('two', 'Two', 'metadata:\n  hermes:\n    requires_tools: [nope]'));
  home.put('skills/a/mac/SKILL.md', skillText('mac', 'Mac', 'platforms: [macos]'));
  home.put('skills/a/off/SKILL.md', skillText('off', 'Off'));
  home.put('skill-bundles/one.yaml', 'description: Both\nskills: [two, missing, off, two]\ninstruction: Be careful.\n');
  home.put('skill-bundles/empty.yaml', 'skills: []\n');
  home.put('skill-bundles/broken.yaml', 'a: b: c\n');
  const available = () => ({ tools: new Set<string>(), toolsets: new Set<string>() });
  const library = home.library({ settings: { disabled: ['off'] }, available });
  assert.deepEqual(
    (await library.commands()).map(({ name, kind }) => `${kind} ${name}`),
    ['bundle one', 'skill two'],
  );
  const answer = await library.command('one', 'go', use);
  assert.ok(answer !== undefined && 'message' in answer);
  assert.match(
    answer.message,
    /"one" bundle.*: two\.[^]*\n\nBe careful\.\n\n[^]*# two[^]*\[Skipped, not available: missing; off\]\n\nThe user's instruction with this command: go$/,
  );
  assert.equal((await readBundles(join(home.path, 'skill-bundles'))).warnings.length, 2);
});

test('skills that are named one after the other are loaded together, five at most', async (t) => {
  const home = makeHome(t);
  const names = ['one', 'two', 'three', 'four', 'five', 'six'];
  for (const name of names) home.put(`skills/a/${name}/SKILL.md`, skillText(name, name));
  const library = home.library();
  const message = async (name: string, text: string): Promise<string> => {
    const answer = await library.command(name, text, use);
    return answer !== undefined && 'message' in answer ? answer.message : 'none';
  };
  assert.match(
    await message('one', '/Two /three compare /four'),
    /together[^]*"one", "two", "three"\.[^]*# one[^]*# two[^]*# three[^]*with this command: compare \/four$/,
  );
  assert.match(await message('one', '/one again'), /"one" skill[^]*with this command: \/one again$/);
  assert.match(
    await message('one', '/tmp/list.txt sort it'),
    /"one" skill[^]*with this command: \/tmp\/list\.txt sort it$/,
  );
  const all = await message('one', '/two /three /four /five /six');
  assert.match(all, /# five[^]*with this command: \/six$/);
  assert.doesNotMatch(all, /# six/);
});

test('bundles are created, replaced on purpose only, and deleted', async (t) => {
  const home = makeHome(t);
  const wanted = { name: 'Back End', skills: ['one', 'two'], description: 'D: "x"', instruction: 'a: b\n# c' };
  const made = await createBundle(join(home.path, 'skill-bundles'), wanted);
  assert.equal(made.slug, 'back-end');
  const [read] = (await readBundles(join(home.path, 'skill-bundles'))).bundles;
  assert.deepEqual(read, { ...made, instruction: wanted.instruction });
  await assert.rejects(createBundle(join(home.path, 'skill-bundles'), wanted), UserError);
  await createBundle(join(home.path, 'skill-bundles'), { ...wanted, skills: ['three'], force: true });
  assert.deepEqual((await readBundles(join(home.path, 'skill-bundles'))).bundles[0]?.skills, ['three']);
  await assert.rejects(createBundle(join(home.path, 'skill-bundles'), { name: '../..', skills: ['a'] }), UserError);
  await assert.rejects(createBundle(join(home.path, 'skill-bundles'), { name: 'x', skills: [] }), UserError);
  assert.equal(await deleteBundle(join(home.path, 'skill-bundles'), 'Back End'), true);
  assert.equal(await deleteBundle(join(home.path, 'skill-bundles'), 'Back End'), false);
});

test('skills are preloaded once each, and unknown ones are named', async (t) => {
  const home = makeHome(t);
  home.put('skills/a/one/SKILL.md', skillText('one', 'One'));
  const { text, loaded, missing } = await home.library().preload(['one', ' one ', 'a/one', 'nope'], use);
  assert.deepEqual(loaded, ['one']);
  assert.deepEqual(missing, ['nope']);
  assert.equal(text.match(/# one/g)?.length, 1);
  assert.match(text, /started with the "one" skill/);
});
