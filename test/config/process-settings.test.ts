/** What the environment switches. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EnvProblem } from '../../src/config/env-values.ts';
import { processSettings } from '../../src/config/process-settings.ts';

test('without variables nothing is switched and no limit is set', () => {
  const settings = processSettings({});
  assert.deepEqual(settings, {
    yolo: false,
    safeMode: false,
    ignoreUserConfig: false,
    ignoreRules: false,
    nonInteractive: false,
    plugins: { project: false, debug: false },
    hooks: { accept: false, maxPayloadChars: 50_000 },
    requests: { streamRetries: 3, timeouts: 5 },
    deadlines: { sideBySide: 420, grace: 1.5, foreground: 600 },
    exitSeconds: 30,
    prompt: { ephemeral: '', helpGuidance: '', ruleFileNames: '' },
    files: { stateGuard: true, writeRoot: undefined, checkpointSeconds: 30 },
    terminal: {
      color: true,
      dumb: false,
      trueColor: false,
      light: undefined,
      reflows: true,
      remote: false,
      still: false,
      shortWelcome: false,
      deferAgent: false,
      editors: [],
    },
    quiet: false,
    sessionSource: undefined,
    docker: 'docker',
    osvEndpoint: 'https://api.osv.dev/v1/query',
    mcpCatalogue: undefined,
    everybodyMayTalk: false,
    disconnectSeconds: 5,
  });
});

test('how long a connection may take to end is a number of seconds, and anything else is told', () => {
  const problems: EnvProblem[] = [];
  const read = (text: string) =>
    processSettings({ HERMES_GATEWAY_ADAPTER_DISCONNECT_TIMEOUT: text }, problems).disconnectSeconds;
  assert.deepEqual([read('12.5'), read('0')], [12.5, 0]);
  assert.equal(problems.length, 0);
  assert.equal(read('soon'), 5);
  assert.equal(problems.length, 1);
});

test('the background is told by a word, by its colour, or by the number of its colour', () => {
  for (const [variables, light] of [
    [{ HERMES_TUI_THEME: 'Light' }, true],
    [{ HERMES_TUI_THEME: 'dark', COLORFGBG: '0;15' }, false],
    [{ HERMES_TUI_THEME: '#fdf6e3' }, true],
    [{ HERMES_TUI_THEME: '#1a1a2e' }, false],
    [{ COLORFGBG: '0;15' }, true],
    [{ COLORFGBG: '0;default;7' }, true],
    [{ COLORFGBG: '15;0' }, false],
    [{ COLORFGBG: '7;8' }, false],
    [{ COLORFGBG: '15;default', HERMES_TUI_THEME: 'odd' }, undefined],
  ] as const) {
    assert.equal(processSettings(variables).terminal.light, light, JSON.stringify(variables));
  }
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
  const { ignoreRules, safeMode } = processSettings({ HERMES_SAFE_MODE: 'yes' });
  assert.deepEqual([ignoreRules, safeMode], [true, true]);
});

test('a terminal has no colours with NO_COLOR or when it is dumb, and is remote behind SSH', () => {
  assert.equal(processSettings({ NO_COLOR: '' }).terminal.color, true);
  assert.equal(processSettings({ NO_COLOR: '1' }).terminal.color, false);
  assert.equal(processSettings({ TERM: 'dumb' }).terminal.color, false);
  assert.equal(processSettings({ SSH_TTY: '/dev/pts/1' }).terminal.remote, true);
});

test('git gets 10 to 60 seconds for a checkpoint, and a command in the foreground as many as are named', () => {
  for (const [given, seconds] of [
    ['5', 10],
    ['45', 45],
    ['600', 60],
    ['', 30],
  ] as const)
    assert.equal(processSettings({ HERMES_CHECKPOINT_TIMEOUT: given }).files.checkpointSeconds, seconds, given);
  assert.equal(processSettings({ TERMINAL_MAX_FOREGROUND_TIMEOUT: '1200' }).deadlines.foreground, 1200);
});
