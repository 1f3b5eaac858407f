/** Plug-ins in the chat, as a person at a terminal sees them. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../../fakes/model-server.ts';
import { makePlace } from '../hermes-process.ts';
import { noTmux, openPane } from './tmux.ts';

const code = `export default (ctx) => {
  ctx.registerCommand('clean-up', () => ctx.dispatchTool('terminal', { command: 'rm -r victim' }));
  ctx.registerCommand('tell', (text) => void ctx.injectMessage(text));
};`;

test('a command of a plug-in asks before it does harm, and may say something to the agent', {
  skip: noTmux,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'Heard it.' }) });
  const place = makePlace(t, server, 'plugins:\n  enabled: [notes]\n');
  place.write('plugins/notes/plugin.yaml', 'version: 1\n');
  place.write('plugins/notes/index.mjs', code);
  const victim = join(place.work, 'victim');
  mkdirSync(victim);
  const pane = openPane(t, place, ['--plain']);
  await pane.sees(/Type a message[^]*\n❯$/);
  pane.enter('/clean-up');
  await pane.sees(
    /needs your approval[^]*rm -r victim[^]*text from: the program plug-in notes[^]*Number, or Enter for \d:$/,
  );
  pane.enter('1');
  await pane.sees(/"exit_code":0[^]*❯$/);
  assert.equal(existsSync(victim), false);
  assert.equal(server.requests.length, 0);
  pane.enter('/tell the build is red');
  await pane.sees(/the build is red[^]*Heard it\.[^]*❯$/);
  pane.keys('C-d');
  assert.equal(await pane.ended(), 0);
});

test('hermes plugins lists them to be switched on and off; Ctrl+C changes nothing', { skip: noTmux }, async (t) => {
  const place = makePlace(t);
  const before = '# mine\n';
  place.write('config.yaml', before);
  place.write('plugins/notes/plugin.yaml', 'version: "1.2"\ndescription: Keeps notes\n');
  place.write('plugins/notes/index.mjs', code);
  const config = (): string => readFileSync(join(place.home, 'config.yaml'), 'utf8');
  const left = openPane(t, place, ['plugins']);
  await left.sees(/Plug-ins that are loaded[^]*notes 1\.2 .*not enabled · user · Keeps notes/);
  left.keys('Tab', 'C-c');
  assert.equal(await left.ended(), 0);
  assert.match(left.screen(), /Nothing was changed/);
  assert.equal(config(), before);

  const pane = openPane(t, place, ['plugins']);
  await pane.sees(/Plug-ins that are loaded[^]*notes 1\.2/);
  pane.keys('Tab', 'Enter');
  await pane.sees(/May notes replace tools that are there without it\?/);
  pane.keys('Enter');
  assert.equal(await pane.ended(), 0);
  assert.match(pane.screen(), /Enabled: notes\. It counts from the next start/);
  assert.match(config(), /enabled:\n +- notes\n/);
});
