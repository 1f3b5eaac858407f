/** The password that a person types for sudo. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../../fakes/model-server.ts';
import { makePlace } from '../hermes-process.ts';
import { noTmux, openPane } from './tmux.ts';

const password = 'zesame-4711';

/** Takes the password, and tells everybody what it was. */
const talkativeSudo = `#!/bin/sh
[ "$1" = -k ] && shift
[ "$1" = -A ] || exit 1
shift
echo "pw is $("$SUDO_ASKPASS")"
exec "$@"
`;

test('it is asked for once, and then is in no file of the home, no request and nowhere on the screen', {
  skip: noTmux,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const place = makePlace(t, server);
  const programs = join(dirname(place.work), 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'sudo'), talkativeSudo, { mode: 0o755 });
  const sudo = (command: string) => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });
  server.enqueue(sudo('sudo echo reached'), { text: 'one done' }, sudo('sudo echo again'), { text: 'two done' });
  const pane = openPane(t, place, ['--yolo'], { env: { PATH: `${programs}:${place.env['PATH']}` } });
  await pane.sees(/Type a message/);
  pane.enter('go');
  await pane.sees(/Password for sudo/);
  pane.type(password);
  await pane.sees(/•{11}/);
  pane.keys('Enter');
  await pane.sees(/one done/);
  pane.enter('once more');
  await pane.sees(/two done/);
  pane.enter('/save');
  await pane.sees(/Saved to/);
  pane.enter('/quit');
  assert.equal(await pane.ended(), 0);
  const results = server.lastRequest.body.messages.filter(({ role }) => role === 'tool');
  assert.match(JSON.stringify(results), /pw is \*\*\*\\\\nreached.*pw is \*\*\*\\\\nagain/);
  assert.ok(server.requests.every(({ rawBody }) => !rawBody.includes(password)));
  assert.ok(!pane.screen().includes(password));
  const files = readdirSync(place.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map(({ parentPath, name }) => join(parentPath, name));
  assert.ok(names.includes(join(place.home, 'state.db')));
  for (const name of names) assert.ok(!readFileSync(name, 'latin1').includes(password), name);
});
