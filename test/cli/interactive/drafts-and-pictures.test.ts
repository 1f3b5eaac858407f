/** What goes into a message besides typing: an editor, pictures from files and the clipboard; and when it was said. */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clipboardPicture } from '../../../src/cli/interactive/clipboard-picture.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { makePlace } from '../hermes-process.ts';
import { noTmux, openPane } from './tmux.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);

test('a draft of the editor and pictures are sent, with the time beside them', { skip: noTmux }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ text: 'One read.' }, { text: 'Two seen.' }, { text: 'Dropped one.' });
  const place = makePlace(t, server);
  const bin = join(place.work, 'bin');
  const editor =
    '#!/bin/sh\nfor file in "$@"; do :; done\nsed -i "s/draft/finished draft/" "$file"\necho "#! left out" >>"$file"\n';
  place.write('../../work/bin/my-editor', editor);
  place.write('../../work/bin/wl-paste', '#!/bin/sh\ncat "$PICTURE"\n');
  writeFileSync(join(place.work, 'a b.png'), png);
  for (const name of ['my-editor', 'wl-paste']) chmodSync(join(bin, name), 0o755);
  const path = `${bin}:${place.env['PATH']}`;
  const env = { PATH: path, EDITOR: 'my-editor --wait', PICTURE: join(place.work, 'a b.png') };
  const pane = openPane(t, place, [], { env });
  await pane.sees(/Type a message/);
  pane.enter('/timestamps');
  await pane.sees(/Times are shown/);
  assert.match(place.read('config.yaml'), /timestamps: true/);
  pane.enter('/prompt my draft');
  await pane.sees(/❯ my finished draft \d\d:\d\d\n[\s\S]*⚕ \d\d:\d\d\n One read\./);
  assert.equal(server.lastRequest.body.messages.at(-1)?.content, 'my finished draft');
  pane.enter('/paste');
  await pane.sees(/\[📎 Image #1: clipboard\]/);
  pane.enter('/image "a b.png" what is this');
  await pane.sees(/Image #1: clipboard\] \[📎 Image #2: a b\.png\]/);
  pane.keys('Enter');
  await pane.sees(/Two seen\./);
  const sent = server.lastRequest.body.messages.at(-1)?.content;
  assert.equal(JSON.stringify(sent).split(`data:image/png;base64,${png.toString('base64')}`).length, 3);
  assert.match(JSON.stringify(sent), /what is this/);
  assert.doesNotMatch(await pane.sees(/│ \d+s/), /📎/);
  pane.enter(`'${join(place.work, 'a b.png')}' and this`);
  await pane.sees(/❯ and this[^]*Dropped one\./);
  assert.match(JSON.stringify(server.lastRequest.body.messages.at(-1)?.content), /"and this".*data:image\/png;base64/);
  pane.keys('M-v', 'C-v');
  await pane.sees(/Image #1: clipboard\] \[📎 Image #2: clipboard/);
  pane.keys('C-d');
  await pane.sees(/pictures wait for a message/);
  pane.keys('C-c');
  await pane.sees(/pictures do not go along any more/);
  writeFileSync(join(bin, 'my-editor'), '#!/bin/sh\nexit 3\n');
  pane.enter('/prompt kept');
  await pane.sees(/exit code 3; nothing is sent[\s\S]*❯ kept/);
  pane.keys('C-c');
  pane.enter('/history');
  await pane.sees(/\d\d:\d\d You: my finished draft/);
});

test('osascript prints a picture in hexadecimal, and a clipboard without one is none', async (t) => {
  const place = makePlace(t);
  const tool = place.write('bin/osascript', `#!/bin/sh\necho "«data PNGf${png.toString('hex').toUpperCase()}»"\n`);
  chmodSync(tool, 0o755);
  const env = { PATH: join(place.home, 'bin') };
  assert.deepEqual(await clipboardPicture(env, 'darwin'), png);
  writeFileSync(tool, '#!/bin/sh\nexit 1\n');
  assert.equal(await clipboardPicture(env, 'darwin'), undefined);
  await assert.rejects(clipboardPicture(env, 'linux'), /wl-paste or xclip is not installed/);
});
