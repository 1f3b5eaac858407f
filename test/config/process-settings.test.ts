/** What the environment switches and limits, and what it says when a value makes no sense. */
import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type EnvProblem, processSettings } from '../../src/config/process-settings.ts';

test('without variables nothing is switched and no limit is set', () => {
  const settings = processSettings({});
  assert.deepEqual(settings, {
    yolo: false,
    acceptHooks: false,
    ignoreUserConfig: false,
    ignoreRules: false,
    safeMode: false,
    quiet: false,
    requests: {
      timeout: undefined,
      staleTimeout: undefined,
      streamReadTimeout: undefined,
      streamStaleTimeout: undefined,
      streamRetries: 3,
      dump: false,
    },
    prompt: { ephemeral: '', helpGuidance: '', ruleFileNames: '' },
    files: { stateGuard: true, writeRoot: undefined },
    places: {
      userHome: homedir(),
      bundledSkills: undefined,
      optionalSkills: undefined,
      codexHome: join(homedir(), '.codex'),
      docker: 'docker',
    },
    logins: { trace: false, nousPortal: undefined, nousMinKeySeconds: 1800 },
    terminal: { color: true, remote: false, editors: [] },
    sessionSource: undefined,
    everybodyMayTalk: false,
  });
});

test('a switch is on for 1, true, yes and on in any case, and for nothing else', () => {
  for (const [word, on] of [
    ['1', true],
    ['TRUE', true],
    ['Yes', true],
    [' on ', true],
    ['0', false],
    ['off', false],
    ['', false],
    ['2', false],
    ['enabled', false],
  ] as const) {
    const settings = processSettings({ HERMES_YOLO_MODE: word, HERMES_DISABLE_FILE_STATE_GUARD: word });
    assert.deepEqual([settings.yolo, settings.files.stateGuard], [on, !on], word);
  }
});

test('safe mode ignores the user’s configuration and rules', () => {
  const { safeMode, ignoreRules, ignoreUserConfig } = processSettings({ HERMES_SAFE_MODE: 'yes' });
  assert.deepEqual([safeMode, ignoreRules, ignoreUserConfig], [true, true, true]);
});

test('limits are numbers of seconds; 0 sets none, and what is no number is reported by name', () => {
  const problems: EnvProblem[] = [];
  const { requests } = processSettings(
    {
      HERMES_API_TIMEOUT: ' 12.5 ',
      HERMES_API_CALL_STALE_TIMEOUT: '0',
      HERMES_STREAM_READ_TIMEOUT: '-1',
      HERMES_STREAM_STALE_TIMEOUT: 'soon',
      HERMES_STREAM_RETRIES: '0',
    },
    problems,
  );
  assert.deepEqual(
    [requests.timeout, requests.staleTimeout, requests.streamReadTimeout, requests.streamStaleTimeout],
    [12.5, undefined, undefined, undefined],
  );
  assert.equal(requests.streamRetries, 0);
  assert.deepEqual(
    problems.map(({ variable }) => variable),
    ['HERMES_STREAM_READ_TIMEOUT', 'HERMES_STREAM_STALE_TIMEOUT'],
  );
});

test('a terminal has no colours with NO_COLOR or when it is dumb, and is remote behind SSH', () => {
  assert.equal(processSettings({ NO_COLOR: '' }).terminal.color, true);
  assert.equal(processSettings({ NO_COLOR: '1' }).terminal.color, false);
  assert.equal(processSettings({ TERM: 'dumb' }).terminal.color, false);
  assert.equal(processSettings({ SSH_TTY: '/dev/pts/1' }).terminal.remote, true);
});
