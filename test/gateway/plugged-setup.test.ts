/** A plug-in that asks for what its platform needs by itself: what it hands over is looked at, and the person may always leave. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SetUpOptions, setUpPlugged } from '../../src/gateway/plugged/plugged-setup.ts';
import type { SetupDialogue } from '../../src/gateway/platform/setup-dialogue.ts';
import { registeredBy } from './platform-of-plugin.ts';

// Code is loaded once from each.
let folders = 0;

interface Told {
  readonly said: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

class Left extends Error {}

/** Runs this as `setup_fn`; every question is answered with what was asked, and `leave` is left. */
async function setUp(code: string, options: SetUpOptions = {}): Promise<Told> {
  folders += 1;
  const given = await registeredBy(
    `setup${folders}`,
    `export default (ctx) => ctx.registerPlatform({ name: 'board', label: 'Board', required_env: ['BOARD_TOKEN'],
      optional_env: ['BOARD_ALLOWED_USERS'], adapter_factory: () => ({}), setup_fn: ${code} });`,
  );
  const said: string[] = [];
  const variables: Record<string, string | undefined> = {};
  const settings: Record<string, unknown> = {};
  const answer = async (message: string): Promise<string> => {
    if (message === 'leave') throw new Left('left');
    return await Promise.resolve(`to ${message}`);
  };
  const dialogue: SetupDialogue = {
    say: (text) => void said.push(text),
    text: answer,
    secret: answer,
    select: async (_message, choices, initial) => await Promise.resolve(initial ?? choices[0]?.value ?? ''),
    confirm: async (_message, initial) => await Promise.resolve(initial),
    variable: (name) => `${name} so far`,
    setVariable: (name, value) => void (variables[name] = value),
    setSetting: (key, value) => void (settings[key] = value),
  };
  await setUpPlugged(given, dialogue, options);
  return { said, variables, settings };
}

test('setup_fn asks, and says which variables and settings come of it', async () => {
  const found = await setUp(`async (ask) => {
    ask.say('Hello from ' + ask.variable('BOARD_TOKEN'));
    ask.setVariable('BOARD_TOKEN', await ask.secret('Token'));
    ask.setVariable('BOARD_HOME_CHANNEL', await ask.text('Home', { optional: true }));
    ask.setSetting('zone', await ask.select('Zone', [{ value: 'eu', label: 'Europe' }, { value: 'us', label: 'America' }], 'us'));
    ask.setSetting('loud', await ask.confirm('Loud?', false));
  }`);
  assert.deepEqual(found, {
    said: ['Hello from BOARD_TOKEN so far'],
    variables: { BOARD_TOKEN: 'to Token', BOARD_HOME_CHANNEL: 'to Home' },
    settings: { zone: 'us', loud: false },
  });
});

test('setup_fn sets nothing but variables of its own, and says nothing of who may speak or whether it is on', async () => {
  for (const [code, why] of [
    ["(ask) => ask.setVariable('OPENAI_API_KEY', 'x')", /OPENAI_API_KEY is no variable that it may set$/],
    ["(ask) => ask.variable('OPENAI_API_KEY')", /OPENAI_API_KEY is no variable that it may set$/],
    ["(ask) => ask.setVariable('BOARD_ALLOWED_USERS', '*')", /BOARD_ALLOWED_USERS is no variable that it may set$/],
    ["(ask) => ask.setVariable('BOARD_TOKEN', 'a\\nOPENAI_API_KEY=b')", /must be one line$/],
    ["(ask) => ask.setSetting('allow_from', '*')", /is for the operator to say$/],
    ["(ask) => ask.setSetting('enabled', true)", /is for the operator to say$/],
    ["(ask) => ask.setSetting('../x', true)", /must be a name of small letters$/],
    ["(ask) => ask.setSetting('list', [1])", /Invalid input/],
  ] as const) {
    await assert.rejects(setUp(code), ({ message }: Error) => {
      assert.match(message, /^the set-up of Board failed: [^\n]*$/);
      assert.match(message, why);
      return true;
    });
  }
});

test('a setup_fn that throws, or asks what cannot be asked, is told in one line', async () => {
  for (const [code, why] of [
    ["() => { throw new Error('no\\n idea') }", /^the set-up of Board failed: no idea$/],
    ['async (ask) => { await ask.text(7) }', /^the set-up of Board failed: [^\n]*expected string[^\n]*$/],
    ["async (ask) => { await ask.select('Which?', []) }", /^the set-up of Board failed: [^\n]*$/],
    ["async (ask) => { await Promise.all([ask.text('a'), ask.text('b')]) }", /it asks two things at once$/],
  ] as const) {
    await assert.rejects(setUp(code), ({ message }: Error) => why.test(message));
  }
});

test('a setup_fn that hangs is not waited for', async () => {
  await assert.rejects(setUp('() => new Promise(() => {})', { silentMs: 20 }), {
    message: 'the set-up of Board failed: no answer within 0.02 s',
  });
});

test('whoever leaves at a question has left, also when the plug-in catches that and goes on', async () => {
  for (const code of [
    "async (ask) => { await ask.text('leave') }",
    "async (ask) => { await ask.text('leave').catch(() => 0); ask.setVariable('BOARD_TOKEN', 'x') }",
    "async (ask) => { await ask.secret('leave').catch(() => 0); await new Promise(() => {}) }",
  ]) {
    await assert.rejects(setUp(code), Left);
  }
});
