/** Event hooks: handlers of the owner's own that hear what happens in chats, and may answer commands. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { RunCommands } from '../../../src/gateway/commands/run-commands.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { placeFor } from '../../runtime/support.ts';
import { openGateway } from '../support.ts';
import { hookPlace, type HookPlace, until, writesDown, writesDownInPython } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
const hasPython = spawnSync('python3', ['--version']).status === 0;

async function gatewayWith(t: TestContext, server: ModelServer, prepare: (hooks: HookPlace) => void) {
  const place = placeFor(t, server, quiet);
  const hooks = hookPlace(t, place.homePath);
  prepare(hooks);
  const commands = new RunCommands({
    version: '0',
    startedAt: 0,
    saveVariables: () => Promise.resolve(),
    restart: () => false,
  });
  const opened = await openGateway(t, server, { place, hooks: await hooks.open(), commands });
  return { ...opened, hooks };
}

test('hooks hear of a conversation in the order in which it goes, with the fields that handlers of the original know', async (t) => {
  await using server = await startModelServer();
  server.enqueue(
    { toolCalls: [{ name: 'todo', arguments: {} }] },
    { text: `Hello ${'x'.repeat(600)}` },
    { text: 'again' },
  );
  const { fake, gateway, hooks } = await gatewayWith(t, server, ({ write }) => {
    write('notes/HOOK.yaml', "name: notes\ndescription: all\nevents: ['session:*', 'agent:*']\n");
    write('notes/handler.mjs', writesDown);
    // A family of events is not named by its first word.
    write('bare/HOOK.yaml', 'name: bare\nevents: [agent, session, command]\n');
    write('bare/handler.mjs', "export function handle(type) { throw new Error(type + ' was heard'); }");
  });
  await fake.say('hi');
  await until(() => hooks.seen().length === 5);
  const [begun, started, first, second, ended] = hooks.seen();
  const { session_id: id, session_key: key } = begun?.context ?? {};
  assert.ok(typeof id === 'string' && typeof key === 'string');
  const who = { platform: 'fake', user_id: 'alice' };
  const turn = { ...who, chat_id: 'c1', thread_id: null, chat_type: 'dm', session_id: id, message: 'hi' };
  assert.deepEqual(begun, { type: 'session:start', context: { ...who, session_id: id, session_key: key } });
  assert.deepEqual(started, { type: 'agent:start', context: turn });
  assert.deepEqual(first?.context, { ...who, session_id: id, iteration: 1, tool_names: [], tools: [] });
  assert.deepEqual([second?.type, second?.context['tool_names']], ['agent:step', ['todo']]);
  assert.match(JSON.stringify(second?.context['tools']), /^\[\{"name":"todo","result":"/);
  const response = `Hello ${'x'.repeat(494)}`;
  assert.deepEqual(ended, { type: 'agent:end', context: { ...turn, response } });
  await fake.say('more');
  await until(() => hooks.seen().length === 8);
  assert.deepEqual(
    hooks
      .seen()
      .slice(5)
      .map(({ type }) => type),
    ['agent:start', 'agent:step', 'agent:end'],
  );
  await fake.say('/new now');
  await until(() => hooks.seen().length === 10);
  assert.deepEqual(hooks.seen().slice(8), [
    { type: 'session:end', context: { ...who, session_key: key } },
    { type: 'session:reset', context: { ...who, session_key: key } },
  ]);
  await gateway.drain(AbortSignal.timeout(5000));
  assert.deepEqual(hooks.warnings, []);
});

test('a handler in Python runs as it is, and so does any program', {
  skip: !hasPython && 'there is no python3',
}, async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const { fake, hooks } = await gatewayWith(t, server, ({ write }) => {
    write('python/HOOK.yaml', 'name: python\nevents: [agent:start]\n');
    write('python/handler.py', writesDownInPython);
    write('shell/HOOK.yaml', "name: shell\nevents:\n  - 'command:status'\n");
    write('shell/handler.sh', '#!/bin/sh\necho \'{"decision": "handled", "message": "all is well"}\'\n');
  });
  await fake.say('hi');
  await until(() => hooks.seen().length === 1);
  assert.equal(hooks.seen()[0]?.context['message'], 'hi');
  await fake.say('/status');
  await fake.until(() => fake.texts().includes('all is well'));
  assert.deepEqual(hooks.warnings, []);
});

test('a handler may refuse a command, answer it, or put another one in its place', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'answer' }) });
  const { fake, gateway, hooks } = await gatewayWith(t, server, ({ write }) => {
    write('guard/HOOK.yaml', "name: guard\nevents: ['command:*', command]\n");
    write(
      'guard/handler.mjs',
      `export async function handle(type, { command, args, raw_command }) {
         if (command === 'model') return { decision: 'deny', message: 'no' };
         if (command === 'usage') return { decision: 'deny' };
         if (command === 'new') return { decision: 'handled', message: raw_command + ' was done: ' + args };
         if (command === 'help') return { decision: 'rewrite', command_name: '/whoami', raw_args: '' };
         if (command === 'title') return { decision: 'maybe' };
       }`,
    );
    // Whoever names a command is asked before whoever wants them all.
    write('zuletzt/HOOK.yaml', 'name: zuletzt\nevents: [command:version]\n');
    write('zuletzt/handler.mjs', "export const handle = () => ({ decision: 'handled', message: 'named' });");
    write('alles/HOOK.yaml', "name: alles\nevents: ['command:*']\n");
    write(
      'alles/handler.mjs',
      "export const handle = (type) => type === 'command:version' ? { decision: 'handled', message: 'all' } : undefined;",
    );
  });
  const said = async (text: string): Promise<string | undefined> => {
    const before = fake.texts().length;
    await fake.say(text);
    await fake.until(() => fake.texts().length > before);
    await until(() => gateway.chats.busy.length === 0);
    return fake.texts().at(-1);
  };
  assert.equal(await said('/model x'), 'no');
  assert.match((await said('/usage')) ?? '', /^\/usage was refused/);
  assert.equal(await said('/reset my title'), 'reset was done: my title');
  assert.match((await said('/help')) ?? '', /unrestricted/);
  assert.equal(await said('/version'), 'named');
  assert.equal(await said('hello'), 'answer');
  assert.equal(server.lastRequest.body.model, 'test-model', 'what was refused was not run');
  assert.match((await said('/title')) ?? '', /title/i);
  assert.deepEqual(hooks.warnings, []);
});

test('a handler that throws, dies or never ends holds up no message and no command', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'answer' }) });
  const { fake, hooks } = await gatewayWith(t, server, ({ write }) => {
    write('a-throws/HOOK.yaml', 'name: throws\nevents: [agent:start]\n');
    write('a-throws/handler.mjs', "export async function handle() { throw new Error('bad day'); }");
    write('b-dies/HOOK.yaml', "name: dies\nevents: [agent:start, 'command:whoami']\n");
    write('b-dies/handler.mjs', 'export function handle() { process.exit(3); }');
    write('c-hangs/HOOK.yaml', "name: hangs\nevents: [agent:start, 'command:whoami']\n");
    write('c-hangs/handler.mjs', 'export function handle() { for (;;); }');
    write('d-writes/HOOK.yaml', "name: writes\nevents: ['agent:*']\n");
    write('d-writes/handler.mjs', writesDown);
  });
  await fake.say('hi');
  await fake.until(() => fake.texts().includes('answer'));
  await fake.say('/whoami');
  await fake.until(() => fake.texts().some((text) => text.includes('unrestricted')));
  await until(() => hooks.seen().filter(({ type }) => type === 'agent:end').length === 1);
  await until(() => hooks.warnings.some((line) => /throws failed on agent:start: bad day/.test(line)));
  await until(() => hooks.warnings.some((line) => /dies failed on agent:start: its process ended with 3/.test(line)));
  // On a busy machine the first of the two takes all the time that a command waits.
  await until(() => hooks.warnings.some((line) => /(?:dies|hangs) took too long over command:whoami/.test(line)));
});

test('a turn completes whose start a handler throws on, and a handler of all commands hears of /model', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'answer' }) });
  const { fake, hooks } = await gatewayWith(t, server, ({ write }) => {
    write('throws/HOOK.yaml', 'name: throws\nevents: [agent:start]\n');
    write('throws/handler.mjs', "export function handle() { throw new Error('bad day'); }");
    write('notes/HOOK.yaml', "name: notes\nevents: ['command:*']\n");
    write('notes/handler.mjs', writesDown);
  });
  await fake.say('hi');
  await fake.until(() => fake.texts().includes('answer'));
  await until(() => hooks.warnings.some((line) => /throws failed on agent:start: bad day/.test(line)));
  await fake.say('/model');
  await fake.until(() => fake.texts().length === 2);
  const told = { platform: 'fake', user_id: 'alice', command: 'model', raw_command: 'model', args: '', raw_args: '' };
  assert.deepEqual(hooks.seen(), [{ type: 'command:model', context: told }]);
  assert.match(fake.texts()[1] ?? '', /test-model/);
});

test('a handler that dies again and again is left alone after five times', async (t) => {
  const { home } = temporaryHome(t);
  const place = hookPlace(t, home.path);
  place.write('dies/HOOK.yaml', 'name: dies\nevents: [gateway:startup]\n');
  place.write('dies/handler.mjs', 'export function handle() { process.exit(3); }');
  const hooks = await place.open();
  for (let count = 0; count < 8; count += 1) hooks.gatewayStarted([]);
  await until(() => place.warnings.some((line) => line.includes('is off until the next start')));
  await hooks.close();
  assert.equal(place.warnings.filter((line) => line.includes('failed on')).length, 5);
});

test('what cannot be used as a hook is told and left out, and the rest is loaded', async (t) => {
  const { home } = temporaryHome(t);
  const place = hookPlace(t, home.path);
  place.write('broken/HOOK.yaml', 'events: [');
  place.write('broken/handler.mjs', writesDown);
  place.write('empty/HOOK.yaml', 'name: empty\nevents: []\n');
  place.write('empty/handler.mjs', writesDown);
  place.write('words/HOOK.yaml', 'name: words\nevents: agent:start\n');
  place.write('words/handler.mjs', writesDown);
  place.write('nothing/HOOK.yaml', 'name: nothing\nevents: [agent:start]\n');
  place.write('nothing/handler.mjs', 'export const handler = 1;');
  place.write('throws/HOOK.yaml', 'name: throws\nevents: [agent:start]\n');
  place.write('throws/handler.ts', "const why: string = 'not today';\nthrow new Error(why);");
  place.write('lonely/HOOK.yaml', 'name: lonely\nevents: [agent:start]\n');
  place.write('handless/handler.mjs', writesDown);
  place.write('file-beside', '');
  place.write('works/HOOK.yaml', 'name: works\nevents: [gateway:startup, agent]\n');
  place.write(
    'works/handler.ts',
    `import type { Stats } from 'node:fs';\n${writesDown.replace('(type, context)', '(type: string, context: object)')}`,
  );
  const hooks = await place.open();
  hooks.gatewayStarted(['telegram']);
  await hooks.close();
  assert.deepEqual(place.seen(), [{ type: 'gateway:startup', context: { platforms: ['telegram'] } }]);
  const told = place.warnings.map((line) => line.replaceAll(home.path, ''));
  assert.equal(told.length, 5, told.join('\n'));
  assert.match(told[0] ?? '', /^\[hooks\] broken is left out: .*HOOK\.yaml:\d+:\d+/);
  assert.match(told[1] ?? '', /^\[hooks\] empty is left out: its HOOK.yaml names no events/);
  assert.match(told[2] ?? '', /^\[hooks\] words is left out/);
  assert.ok(told.some((line) => /^\[hooks\] nothing is left out, .*no function named handle/.test(line)));
  assert.ok(told.some((line) => /^\[hooks\] throws is left out, .*not today/.test(line)));
});

test('a hook that sets HERMES_YOLO_MODE lifts nothing, neither in its turn nor in the next', async (t) => {
  await using server = await startModelServer();
  const { fake, place } = await gatewayWith(t, server, ({ write }) => {
    write('loose/HOOK.yaml', "name: loose\ndescription: sets it\nevents: ['session:*', 'agent:*']\n");
    write('loose/handler.mjs', `export function handle() { process.env.HERMES_YOLO_MODE = '1'; }\n`);
  });
  place.put('src/a', '');
  const removal = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r src' } }] };
  for (const answer of ['Kept.', 'Kept again.']) {
    server.enqueue(removal, { text: answer });
    await fake.say('tidy up');
    await fake.until(() => fake.texts().at(-1)?.includes('Approval needed') === true);
    await fake.say('/deny');
    await fake.until(() => fake.texts().includes(answer));
  }
  assert.ok(existsSync(join(place.work, 'src')));
});
