/** The looks of the chat, and keys that are written while it is open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSkin } from '../../../src/cli/skins/skin-files.ts';
import { plainSkin } from '../../../src/cli/skins/skin.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { configFor, makePlace } from '../hermes-process.ts';
import { noTmux, openPane } from './tmux.ts';

const skip = noTmux;

test('/skin changes colours and words at once and for later chats; an unknown name lists all', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const place = makePlace(t, server);
  const mine =
    "colors: {banner_title: '#ff00ff'}\nbranding: {prompt_symbol: '»', agent_name: My Own, goodbye: So long., help_header: What I can do}\n";
  place.write('skins/mine.yaml', `description: Mine alone\n${mine}tool_emojis: {todo: 🧾}\ntool_prefix: '>'\n`);
  const pane = openPane(t, place, [], { env: { COLORTERM: 'truecolor' } });
  await pane.sees(/⚕ Hermes Agent[\s\S]*Type a message/);
  pane.type('/skin m');
  await pane.sees(/→ mono +Greys alone\n +mine +Mine alone/);
  pane.keys('C-c');
  pane.enter('/skin nosuch');
  await pane.sees(/no skin 'nosuch'[\s\S]*ares, charizard, daylight, default, mine, mono, poseidon, sisyphus, slate/);
  pane.enter('/skin');
  await pane.sees(/Which skin[\s\S]*default \(current\)/);
  pane.type('mine');
  await pane.sees(/mine +Mine alone \(yours\)/);
  pane.keys('Enter');
  await pane.sees(/Skin: mine\.[\s\S]*\n» *\n/);
  assert.match(pane.coloured(), /38;(?:2;255;0;255|5;201)m/);
  assert.match(place.read('config.yaml'), /skin: mine/);
  server.enqueue({ toolCalls: [{ name: 'todo', arguments: {} }] }, { text: 'Done.' });
  pane.enter('list');
  await pane.sees(/> 🧾 todo[\s\S]*Done\./);
  pane.enter('/help');
  await pane.sees(/What I can do\n+Session\n/);
  pane.enter('/new now');
  pane.enter('/quit');
  await pane.ended();
  assert.match(pane.screen(), /So long\./);
  const again = openPane(t, place);
  await again.sees(/⚕ My Own/);
});

test('a skin that is broken or gone is the plain one, with a line about it', async (t) => {
  const place = makePlace(t);
  place.write('skins/broken.yaml', 'colors: [\n');
  place.write('skins/odd.yaml', 'colors: {ui_accent: red, ui_ok: "#00ff00"}\nbranding: 5\n');
  const warnings: string[] = [];
  assert.deepEqual(await findSkin(place.home, 'broken', warnings), { ...plainSkin, name: 'broken' });
  assert.match(warnings.join('\n'), /broken\.yaml:\d+/);
  const odd = await findSkin(place.home, 'odd', warnings);
  assert.equal(odd?.colors.accent, undefined);
  assert.equal(odd?.colors.good, '#00ff00');
  assert.equal(await findSkin(place.home, '../config', warnings), undefined);
  assert.equal(warnings.length, 1);
});

test('/reload takes over what was written to .env, and the next request goes with the new key', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ text: 'First.' }, { text: 'Second.' });
  const place = makePlace(t);
  place.write('config.yaml', `${configFor(server).replace(/ {2}api_key: .*\n/, '')}  key_env: MY_KEY\n`);
  place.write('.env', 'MY_KEY=key-number-one\nGONE=1\n');
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('one');
  await pane.sees(/First\./);
  pane.enter('/reload');
  await pane.sees(/Reloaded \.env \(0 var/);
  place.write('.env', 'MY_KEY=key-number-two\n');
  pane.enter('/reload');
  await pane.sees(/\(2 var\(s\) updated\): GONE, MY_KEY/);
  pane.enter('two');
  await pane.sees(/Second\./);
  assert.equal(server.lastRequest.headers.authorization, 'Bearer key-number-two');
});

test('what the program adds to a conversation is not shown, and a call of a tool that is none is', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue(
    { toolCalls: [{ name: 'fly', arguments: { to: 'moon' } }] },
    { text: 'No wings.' },
    { text: 'Noted.' },
  );
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('go');
  await pane.sees(/called 'fly', which does not exist here[\s\S]*No wings\./);
  pane.enter('/learn from this');
  assert.doesNotMatch(await pane.sees(/Noted\./), /Make a skill|Gather the material/);
  assert.match(server.lastRequest.rawBody, /Gather the material/);
});

test('on a light background the colours are dark ones, whether it is told or asked for', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'Use `code` here.' }) });
  const dark = /\u001b\[38;5;94mcode/;
  for (const [env, background, light] of [
    [{ COLORFGBG: '0;15' }, '#000000', true],
    [{}, '#ffffff', true],
    [{ HERMES_TUI_THEME: 'dark' }, '#ffffff', false],
    [{}, '#101010', false],
  ] as const) {
    const pane = openPane(t, makePlace(t, server), [], { env, background });
    await pane.sees(/Type a message/);
    pane.enter('go');
    await pane.sees(/Use code here/);
    if (light) assert.match(pane.coloured(), dark);
    else assert.match(pane.coloured(), /\u001b\[33m(?:\u001b\[[\d;]*m)*code/);
    pane.close();
  }
});
