/** `hermes setup agent` and `hermes setup terminal`: a few settings, asked for with what is set now. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { noTmux, openPane } from './interactive/tmux.ts';
import { hermes, makePlace } from './hermes-process.ts';

suite('sections of hermes setup in a terminal', { concurrency: 2, skip: noTmux }, () => {
  test('the agent’s are stored after the last answer; Enter keeps what is set, and that is not written', async (t) => {
    const place = makePlace(t);
    place.write('config.yaml', '# mine\nagent:\n  max_turns: 40 # enough\n');
    const pane = openPane(t, place, ['setup', 'agent']);
    await pane.sees(/Most model requests for one message of yours[^]*40/);
    pane.keys('C-u');
    pane.enter('many');
    await pane.sees(/agent\.max_turns/);
    pane.keys('C-u');
    pane.enter('25');
    await pane.sees(/How much is shown[^]*● one line for every call/);
    pane.keys('Up', 'Enter');
    await pane.sees(/Summarise long conversations/);
    pane.keys('Enter');
    await pane.sees(/Share of the model's window[^]*0\.5/);
    pane.keys('C-u');
    pane.enter('7');
    await pane.sees(/Between 0\.05 and 1/);
    assert.equal(place.read('config.yaml'), '# mine\nagent:\n  max_turns: 40 # enough\n', 'nothing is stored yet');
    pane.keys('C-u');
    pane.enter('0.5');
    await pane.sees(/starts afresh by itself[^]*● never/);
    pane.keys('Down', 'Enter');
    await pane.sees(/Minutes without a message[^]*1440/);
    pane.keys('C-u');
    pane.enter('60');
    await pane.sees(/Stored: agent\.max_turns = 25, display\.tool_progress = new, session_reset\.mode = idle/);
    assert.equal(await pane.ended(), 0);
    assert.match(place.read('config.yaml'), /^# mine\nagent:\n {2}max_turns: 25 # enough$/m);
    assert.deepEqual(parse(place.read('config.yaml')), {
      agent: { max_turns: 25 },
      display: { tool_progress: 'new' },
      session_reset: { mode: 'idle', idle_minutes: 60 },
    });
  });

  test('whoever leaves at a question changes nothing; without summaries there is no share to ask for', async (t) => {
    const place = makePlace(t);
    place.write('config.yaml', 'compression: {enabled: false}\n');
    const left = openPane(t, place, ['setup', 'agent']);
    await left.sees(/Most model requests/);
    left.enter('0');
    await left.sees(/How much is shown/);
    left.keys('Escape');
    await left.sees(/Nothing was changed/);
    assert.equal(await left.ended(), 0);
    const pane = openPane(t, place, ['setup', 'agent']);
    await pane.sees(/Most model requests/);
    pane.keys('Enter');
    await pane.sees(/How much is shown/);
    pane.keys('Enter');
    await pane.sees(/Summarise[^]*● No/);
    pane.keys('Enter');
    await pane.sees(/starts afresh by itself/);
    pane.keys('Enter');
    await pane.sees(/Nothing was changed/);
    assert.equal(place.read('config.yaml'), 'compression: {enabled: false}\n');
  });

  test('the terminal’s say where commands run, and a directory that is not there is asked for again', async (t) => {
    const place = makePlace(t);
    const pane = openPane(t, place, ['setup', 'terminal']);
    await pane.sees(/Where commands run[^]*another machine, through SSH/);
    pane.keys('Enter');
    await pane.sees(/Directory that commands start in/);
    pane.keys('C-u');
    pane.enter('/no/such/place');
    await pane.sees(/There is no such directory/);
    pane.keys('C-u');
    pane.enter(place.work);
    await pane.sees(/Seconds a command may take[^]*180/);
    pane.keys('C-u');
    pane.enter('300');
    await pane.sees(/Stored: terminal\.cwd = [^]*terminal\.timeout = 300/);
    const shown = await hermes(place, ['setup', 'terminal', '--non-interactive']);
    assert.deepEqual([shown.code, shown.stderr], [0, '']);
    assert.equal(shown.stdout, `✓ terminal.backend: local\n✓ terminal.cwd: ${place.work}\n✓ terminal.timeout: 300\n`);
  });
});

test('the setup of a sandbox in a cloud says whether its key is set, and a reset leaves the key', async (t) => {
  const place = makePlace(t);
  place.write('config.yaml', 'terminal: {backend: daytona}\n');
  place.write('.env', 'DAYTONA_API_KEY=dtn_1\n');
  const shown = await hermes(place, ['setup', 'terminal', '--non-interactive']);
  assert.match(
    shown.stdout,
    /^✓ terminal\.backend: daytona\n✓ DAYTONA_API_KEY: set\n✓ terminal\.daytona_image: nikolaik/,
  );
  assert.doesNotMatch(shown.stdout, /dtn_1|modal/i);
  await hermes(place, ['setup', 'terminal', '--reset', '--non-interactive']);
  assert.match(place.read('.env'), /DAYTONA_API_KEY=dtn_1/);
});

test('without a terminal the settings of a section are shown or put back, and never asked for', async (t) => {
  const place = makePlace(t);
  place.write('config.yaml', 'agent:\n  max_turns: 40\n  reasoning_effort: low\n');
  const asked = await hermes(place, ['setup', 'agent']);
  assert.deepEqual([asked.code, asked.stdout], [1, '']);
  assert.match(asked.stderr, /needs a terminal[^]*hermes config set agent\.max_turns <value>/);
  assert.match((await hermes(place, ['setup', 'agent', '--quick'])).stdout, /^✓ agent\.max_turns: 40\n/);
  const reset = await hermes(place, ['setup', 'agent', '--reset', '--non-interactive']);
  assert.match(reset.stdout, /^The old settings are in .*config\.yaml\.bak-\w+\n✓ agent\.max_turns: 90\n/);
  assert.equal(place.read('config.yaml'), 'agent:\n  reasoning_effort: low\n');
});

test('what an administrator decided is shown and not asked for', async (t) => {
  const place = makePlace(t);
  place.write('managed/config.yaml', 'agent: {max_turns: 12}\n');
  const env = { HERMES_MANAGED_DIR: `${place.home}/managed` };
  const reset = await hermes(place, ['setup', 'agent', '--reset', '--non-interactive'], { env });
  assert.deepEqual([reset.code, reset.stderr], [0, '']);
  assert.match(reset.stdout, /^✓ agent\.max_turns: 12\n/);
});
