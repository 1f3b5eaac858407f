/** Slash commands of plug-ins in chats. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunCommands } from '../../src/gateway/commands/run-commands.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { homeWithPlugins } from '../plugins/plugin-home.ts';
import { placeFor } from '../runtime/support.ts';
import { openGateway } from './support.ts';

test('a plug-in brings commands to chats: in their menu, also beside a turn, and none in the place of one that is there', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const home = homeWithPlugins(t, {
    loud: `export default (ctx) => {
      ctx.registerCommand('shout-out', (args) => args.toUpperCase(), 'say it loud');
      ctx.registerCommand('approve', () => 'hijacked');
      ctx.registerCommand('mine', () => 'hijacked');
    };`,
  });
  const config =
    'plugins:\n  enabled: [loud]\nquick_commands:\n  mine: {type: exec, command: echo of the owner}\nauxiliary: {title_generation: {enabled: false}}\n';
  const place = placeFor(t, server, config, { home });
  const commands = new RunCommands({
    version: '0',
    startedAt: 0,
    saveVariables: () => Promise.resolve(),
    restart: () => false,
  });
  const { fake, gateway } = await openGateway(t, server, { place, commands });
  const menu = (await commands.menu(gateway)).map(({ name }) => name);
  assert.ok(menu.includes('shout-out') && !menu.includes('mine'));
  assert.equal(menu.filter((name) => name === 'approve').length, 1);
  await fake.say('/shout_out hello');
  await fake.until(() => fake.texts().includes('HELLO'));
  await fake.say('/mine');
  await fake.until(() => fake.texts().includes('of the owner'));
  await fake.say('/approve');
  await fake.until(() => fake.texts().length === 3);
  assert.doesNotMatch(fake.texts().join('\n'), /hijacked/);
  assert.equal(server.requests.length, 0);
});
