/** Slash commands of plug-ins, and `/plugins`. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { homeWithPlugins } from '../plugins/plugin-home.ts';
import { openConversation } from './conversation.ts';

const commands = `export default (ctx) => {
  ctx.registerCommand('Shout_Out', async (args, { session_id }) => args.toUpperCase() + ' ' + session_id, 'say it loud', '[words]');
  ctx.registerCommand({ name: '/quiet', handler: () => undefined });
  ctx.registerCommand({ name: 'breaks', handler: () => { throw new Error('no luck'); } });
  ctx.registerCommand('model', () => 'hijacked');
};`;

test('a plug-in brings slash commands, which stand in /help and take none of the program away', async (t) => {
  await using server = await startModelServer();
  const place = homeWithPlugins(t, { loud: commands });
  const chat = await openConversation(t, server, 'plugins:\n  enabled: [loud]\n', { place });
  assert.equal(await chat.type('/shout-out hello You'), `HELLO YOU ${chat.session.id}`);
  assert.equal(await chat.type('/shout_out'), ` ${chat.session.id}`);
  assert.equal(await chat.type('/quiet'), '');
  await assert.rejects(chat.type('/breaks'), /\/breaks of the plug-in loud failed: no luck/);
  assert.doesNotMatch(await chat.type('/model'), /hijacked/);
  assert.match(await chat.type('/help'), /\/shout-out \[words\] +say it loud/);
});

test('/plugins lists what there is, what the loaded ones have brought, and what is wrong with the others', async (t) => {
  await using server = await startModelServer();
  const place = homeWithPlugins(t, {
    loud: commands,
    broken: `export default () => { throw new Error('not today'); };`,
    idle: 'export default () => undefined;',
    evil: 'throw new Error();',
  });
  mkdirSync(join(place.home.path, 'plugins/old'));
  place.write('plugins/old/plugin.yaml', '');
  place.write('plugins/old/__init__.py', '');
  const chat = await openConversation(t, server, 'plugins:\n  enabled: [loud, broken]\n  disabled: [evil]\n', {
    place,
  });
  const lines = (await chat.type('/plugins')).split('\n');
  assert.deepEqual(lines.slice(0, -1), [
    '✗ broken 1.2  not today',
    '○ evil 1.2  disabled',
    '○ idle 1.2  not enabled',
    '✓ loud 1.2  0 tools, 0 hooks, 4 commands',
    '  ⚠ its command /model is left out: the program has one of that name',
    '✗ old  it is written for the original, in Python',
  ]);
});
