/** A plug-in that wants a person to approve a call, and the person at a terminal. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../../fakes/model-server.ts';
import { homeWithPlugins } from '../../plugins/plugin-home.ts';
import { chatAt, placeFor, textOf } from '../../runtime/support.ts';
import { plainTerminal } from './plain-terminal.ts';

const rule = `export default (ctx) => ctx.registerHook('pre_tool_call', ({ tool_name }) =>
  tool_name === 'write_file' ? { action: 'approve', message: 'files are looked at' } : undefined);`;

test('a call that a plug-in wants approved runs once after an o, and the next one is asked about again', async (t) => {
  await using server = await startModelServer();
  const write = (path: string) => ({ toolCalls: [{ name: 'write_file', arguments: { path, content: 'x' } }] });
  server.enqueue(write('first'), write('second'), { text: 'ok' });
  const home = homeWithPlugins(t, { notes: rule });
  const place = placeFor(t, server, 'plugins:\n  enabled: [notes]\n', { home });
  const { screen, human, answer } = plainTerminal();
  screen.start();
  t.after(() => screen.abandon());
  const chat = await chatAt(place, { human: human({ approvalSeconds: 600, clarifySeconds: 600 }) });
  const said = chat.say('write both');
  await answer(/needs your approval: .*files are looked at[^]*1 yes, once[^]*Number, or Enter for \d: $/, 'o');
  await answer(/needs your approval: .*files are looked at[^]*Number, or Enter for \d: $/, 'deny');
  assert.match(String(await said), /^ok/);
  assert.deepEqual(
    ['first', 'second'].map((name) => existsSync(join(place.work, name))),
    [true, false],
  );
  assert.match(textOf(server.lastRequest.body.messages.at(-1)), /BLOCKED|denied|consent/i);
});
