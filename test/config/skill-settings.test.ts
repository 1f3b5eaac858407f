/** What the environment says about skills, as settings. */
import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { delimiter } from 'node:path';
import { test } from 'node:test';
import { skillEnvironment, skillSourceSettings } from '../../src/config/skill-settings.ts';

test('an empty environment has the home of the system, no programs and no variables', () => {
  const environment = skillEnvironment({});
  assert.deepEqual([environment.userHome, environment.programFolders], [homedir(), []]);
  assert.equal(environment.variable('HOME'), undefined);
  assert.deepEqual(skillSourceSettings({}), {
    userHome: homedir(),
    bundledFolder: undefined,
    optionalFolder: undefined,
    githubToken: undefined,
  });
});

test('empty folders of PATH are not the current one, and a variable may be empty', () => {
  const environment = skillEnvironment({ HOME: '/me', PATH: ['', '/bin', '', '/usr/bin'].join(delimiter), EMPTY: '' });
  assert.deepEqual([environment.userHome, environment.programFolders], ['/me', ['/bin', '/usr/bin']]);
  assert.equal(environment.variable('EMPTY'), '');
});

test('blank settings count as none, and GITHUB_TOKEN comes before GH_TOKEN', () => {
  const blank = skillSourceSettings({ HOME: '/me', GITHUB_TOKEN: ' ', GH_TOKEN: 'second', HERMES_BUNDLED_SKILLS: ' ' });
  assert.deepEqual([blank.githubToken, blank.bundledFolder], ['second', undefined]);
  const both = skillSourceSettings({ GITHUB_TOKEN: ' first ', GH_TOKEN: 'second', HERMES_OPTIONAL_SKILLS: ' more ' });
  assert.deepEqual([both.githubToken, both.optionalFolder], ['first', 'more']);
});
