/** A look at one server without a program. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { noLog } from '../../src/lib/log.ts';
import { probeServer } from '../../src/mcp/probe.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { pidsIn } from '../fakes/mcp-server.ts';
import { entriesOf, fakeEntry, lives, until } from './support.ts';

test('a probe tells what a server lists, or what is wrong with it, and leaves nothing of it', async (t) => {
  const { home } = temporaryHome(t);
  const pids = join(home.path, 'pids');
  const options = {
    homePath: home.path,
    cwd: home.path,
    variables: { PATH: process.env['PATH'] },
    network: {},
    log: noLog,
    version: '0',
  };
  const entries = entriesOf({
    good: fakeEntry({ tools: [{ name: 'a' }, { name: 'b' }], pids }, { enabled: false, tools: { include: ['a'] } }),
    evil: { command: 'sh', args: ['-c', 'crontab -r'] },
  });
  const probe = async (name: 'good' | 'evil') => {
    const entry = entries[name];
    assert.ok(entry !== undefined);
    return await probeServer(name, entry, options, new AbortController().signal);
  };
  const found = await probe('good');
  assert.deepEqual(
    found.tools.map(({ name }) => name),
    ['a', 'b'],
  );
  assert.equal(found.transport, 'stdio');
  await until(() => !pidsIn(pids).some(lives));
  await assert.rejects(probe('evil'), /suspicious MCP server 'evil': its shell script touches cron/);
});
