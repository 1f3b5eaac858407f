/** Every environment variable of the original is read, told as without effect, or none of our business. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { configVariables } from '../../src/config/env-layers.ts';
import { missingPartOfVariable, unbuiltVariables } from '../../src/config/not-in-build-variables.ts';
import { providerCatalogue } from '../../src/providers/catalogue.ts';
import { insideOnly, variableGroups } from '../../scripts/docs/variables.ts';

/** Those that release 0.19.0 reads. */
const original = readFileSync(new URL('variables-0.19.txt', import.meta.url), 'utf8')
  .trim()
  .split(/\s+/);

/** Of the system, and of programs and libraries that read them themselves, here as there. */
const ofOthers = `ALL_PROXY APPDATA APPTAINER_CACHEDIR AWS_* BROWSER COLORFGBG COLORTERM DBUS_SESSION_BUS_ADDRESS GHOSTTY_* GIT_* HOMEDRIVE HOMEPATH
  INVOCATION_ID ITERM_SESSION_ID JOURNAL_STREAM KITTY_WINDOW_ID KUBERNETES_SERVICE_HOST LOGNAME MSYS* NODE_ENV NODE_OPTIONS
  NOTIFY_SOCKET OAUTHLIB_RELAX_TOKEN_SCOPE PATHEXT PIPEWIRE_REMOTE PREFIX PROCESSOR_* PROMPT_TOOLKIT_NO_CPR PULSE_* PWD
  PYTEST_CURRENT_TEST PYTHON* SUDO_USER TERMUX_VERSION TERM_PROGRAM USER USERDOMAIN USERNAME USERPROFILE VIRTUAL_ENV
  WATCHDOG_USEC WEZTERM_PANE WSL_DISTRO_NAME WSS_PROXY WT_SESSION XDG_* XPC_SERVICE_NAME`;
/** The original sets them itself, for what it starts. */
const ofItsOwn = `HERMES_BIN HERMES_COMPUTE_HOST_CHILD HERMES_CRON_SESSION HERMES_EXEC_ASK HERMES_INTERACTIVE HERMES_PLATFORM HERMES_PROFILE
  HERMES_REAL_HOME HERMES_SESSION_ID HERMES_SESSION_KEY HERMES_SESSION_PLATFORM`;

const isNoBusiness = `${ofOthers} ${ofItsOwn}`.split(/\s+/).map((name) => new RegExp(`^${name.replace('*', '.*')}$`));

/** As the reference page says, which cannot be made while a variable is read that is not described. */
const read = new Set([
  ...variableGroups.flatMap(({ variables }) => variables.flatMap(([names]) => names.split(' '))),
  ...insideOnly,
  ...providerCatalogue.flatMap(({ keyVariables, baseUrlVariable, keysByHost = [] }) => [
    ...keyVariables,
    ...keysByHost.map(({ variable }) => variable),
    ...(baseUrlVariable === undefined ? [] : [baseUrlVariable]),
  ]),
  ...configVariables().flatMap(({ variable }) => (missingPartOfVariable(variable) === undefined ? [variable] : [])),
]);

test('none is ignored in silence, and none that is read is told as without effect', () => {
  const told = (name: string) => missingPartOfVariable(name) !== undefined;
  const silent = original.filter(
    (name) => !read.has(name) && !told(name) && !isNoBusiness.some((pattern) => pattern.test(name)),
  );
  assert.deepEqual(silent, []);
  assert.deepEqual([...read].filter(told), []);
});

test('what is set without effect is told by its part; a variable of a setting goes with its key', () => {
  const env = {
    DISCORD_BOT_TOKEN: 'x',
    LANGFUSE_HOST: 'x',
    EXA_API_KEY: ' ',
    OPENAI_API_KEY: 'k',
    LINEAR: 'y',
  };
  assert.deepEqual(Object.fromEntries(unbuiltVariables(env)), {
    'chat platforms': ['DISCORD_BOT_TOKEN'],
    'plug-ins': ['LANGFUSE_HOST'],
  });
});
