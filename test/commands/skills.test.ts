/** `/skills`, `/bundles` and `/reload-skills`, with a real library on a real home. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { SlashCommand, TerminalContext } from '../../src/commands/command.ts';
import { bundles } from '../../src/commands/skills/bundles.ts';
import { reloadSkills } from '../../src/commands/skills/reload-skills.ts';
import { skills } from '../../src/commands/skills/skills.ts';
import { skillEnvironment } from '../../src/config/skill-settings.ts';
import { createBundle } from '../../src/skills/bundles.ts';
import { createSkillLibrary } from '../../src/skills/skill-library.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { openConversation } from './conversation.ts';

const content = '---\nname: foo\ndescription: About foo\n---\nText\n';

function setUp(t: TestContext, isOwnMachine = true) {
  const { home, env } = temporaryHome(t);
  const library = createSkillLibrary({
    homePath: home.path,
    surface: 'cli',
    environment: skillEnvironment(env),
    settings: {
      externalDirs: [],
      disabled: [],
      platformDisabled: {},
      config: {},
      guardAgentCreated: false,
      writeApproval: true,
      templateVars: true,
      inlineShell: false,
      inlineShellTimeoutSeconds: 10,
    },
  });
  const printed: string[] = [];
  const saved: unknown[] = [];
  const places = {
    homePath: home.path,
    cwd: join(home.path, '..'),
    env,
    skillRules: () => Promise.resolve({ allowPrivateUrls: false, disabled: ['off'] }),
  };
  const context = {
    session: { knowledge: { skills: library } },
    about: { version: '1', ...(isOwnMachine ? { paths: places } : {}) },
    ui: { print: (text: string) => printed.push(text) },
    settings: { save: (changes: unknown) => Promise.resolve(saved.push(changes)) },
  } as unknown as TerminalContext;
  const source = join(home.path, '..', 'foo');
  mkdirSync(source);
  writeFileSync(join(source, 'SKILL.md'), content);
  return {
    home,
    library,
    saved,
    inSkills: (path: string) => join(home.path, 'skills', path),
    type: async (command: SlashCommand, args = '') => {
      printed.length = 0;
      await command.run(context, args);
      return printed.join('\n');
    },
  };
}

test('a skill is installed from a chat only with an explicit yes, and can be used at once', async (t) => {
  const { type, inSkills, library } = setUp(t);
  await assert.rejects(type(skills, 'install ./foo'), /was not installed/);
  assert.ok(!existsSync(inSkills('foo')));
  assert.match(await type(skills, 'install ./foo --yes --now'), /Installed 'foo'/);
  assert.deepEqual(
    (await library.list()).map(({ name }) => name),
    ['foo'],
  );
  assert.match(await type(skills), /foo +local, community/);
  assert.match(await type(skills, 'uninstall foo'), /Removed/);
});

test('what is switched off is left out of the list in a chat too', async (t) => {
  const { type, inSkills } = setUp(t);
  for (const name of ['off', 'on']) {
    mkdirSync(inSkills(name), { recursive: true });
    writeFileSync(inSkills(`${name}/SKILL.md`), content.replaceAll('foo', name));
  }
  assert.match(await type(skills, 'list'), /off .*[\s\S]*on /);
  assert.doesNotMatch(await type(skills, 'list --enabled-only'), /About off/);
});

test('words that make no sense are explained in the chat, not on the terminal', async (t) => {
  const { type } = setUp(t);
  assert.match(await type(skills, 'instal'), /unknown command/);
  assert.match(await type(skills, 'install'), /missing required argument/);
  assert.match(await type(skills, '--help'), /Usage/);
});

test('changes that wait are listed, compared, made and thrown away', async (t) => {
  const { type, library, inSkills } = setUp(t);
  const { signal } = new AbortController();
  for (const name of ['one', 'two']) {
    await library.apply({ action: 'create', name, content: content.replace('foo', name) }, {}, signal);
  }
  const [one, two] = library.pending.list();
  assert.ok(one && two && !existsSync(inSkills('one')));
  assert.match(await type(skills, 'pending'), /create one[\s\S]*create two/);
  assert.match(await type(skills, `diff ${one.id}`), /\+name: one/);
  await type(skills, `approve ${one.id}`);
  assert.ok(existsSync(inSkills('one/SKILL.md')));
  assert.match(await type(skills, 'reject all'), /thrown away/);
  assert.ok(!existsSync(inSkills('two')));
  await assert.rejects(type(skills, 'diff nothing'), { name: 'UserError' });
  await assert.rejects(type(skills, 'approve'), { exitCode: 2 });
});

test('where the user is not at the machine, only the review is offered', async (t) => {
  const { type, saved } = setUp(t, false);
  await assert.rejects(type(skills, 'install ./foo --yes'), /only/);
  assert.match(await type(skills, 'pending'), /No changes/);
  await type(skills, 'approval on');
  assert.deepEqual(saved, [[{ path: ['skills', 'write_approval'], value: true }]]);
});

test('the folders are looked at anew, and bundles are listed', async (t) => {
  const { type, home, inSkills } = setUp(t);
  mkdirSync(inSkills('bar'), { recursive: true });
  writeFileSync(inSkills('bar/SKILL.md'), content);
  assert.match(await type(reloadSkills), /^1 skill to use/);
  assert.match(await type(bundles), /No bundles/);
  await createBundle(join(home.path, 'skill-bundles'), { name: 'work', skills: ['foo'] });
  assert.match(await type(bundles), /\/work {2}\(foo\)/);
  assert.match(await type(bundles, 'work'), /File: /);
});

test('/learn asks for a skill in a turn like any other, and the skill is there afterwards', async (t) => {
  await using server = await startModelServer({ strict: true });
  const chat = await openConversation(t, server);
  const create = { action: 'create', name: 'foo', content };
  server.enqueue(
    { toolCalls: [{ name: 'skill_manage', arguments: create }] },
    { text: 'Made foo.' },
    { text: 'Done.' },
  );
  await chat.type('/learn notes.md and  what the build prints');
  const asked = server.requests[0]?.body.messages.at(-1)?.content;
  assert.match(
    typeof asked === 'string' ? asked : '',
    /skill_manage[^]*\nSource:\nnotes\.md and {2}what the build prints$/,
  );
  assert.ok(existsSync(join(chat.homePath, 'skills/foo/SKILL.md')));
  const status = await chat.type('/status');
  assert.match(status, /You said: \/learn notes\.md and what the build prints\n/);
  await chat.type('/learn');
  assert.match(
    JSON.stringify(server.lastRequest.body.messages.at(-1)),
    /what we did in this conversation(?!.*Source:)/,
  );
});
