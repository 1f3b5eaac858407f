/** The reference servers of the MCP project from PyPI, called through our client. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryHome } from '../config/temporary-home.ts';
import { startJsonServer } from '../fakes/json-server.ts';
import { openServers } from '../mcp/support.ts';
import { pythonPackages } from './python-packages.ts';

const run = promisify(execFile);
const packages = ['mcp-server-time==2026.10.19', 'mcp-server-fetch==2026.10.24', 'mcp-server-git==2026.10.19'];

test('the reference servers for time, pages and repositories do what they are for', async (t) => {
  const found = await pythonPackages('mcp-python-servers', packages);
  if (typeof found === 'string') return t.skip(found);
  const repository = join(temporaryHome(t).home.path, 'repository');
  mkdirSync(repository);
  const git = async (...args: string[]) => await run('git', ['-C', repository, ...args]);
  await git('init', '--quiet');
  writeFileSync(join(repository, 'a.txt'), 'hello\n');
  await using page = await startJsonServer({
    'GET /page': { headers: { 'content-type': 'text/plain' }, body: 'The moon is made of rock.' },
  });
  const opened = await openServers(t, {
    time: { command: found.script('mcp-server-time'), args: ['--local-timezone', 'Europe/Berlin'] },
    fetch: { command: found.script('mcp-server-fetch'), args: ['--ignore-robots-txt', '--allow-private-ips'] },
    git: { command: found.script('mcp-server-git'), args: ['--repository', repository] },
  });
  assert.deepEqual(
    opened.servers.list().map(({ name, state, problem }) => [name, state, problem]),
    ['time', 'fetch', 'git'].map((name) => [name, 'connected', undefined]),
  );
  const converted = await opened.ask('mcp__time__convert_time', {
    source_timezone: 'Europe/Berlin',
    time: '12:00',
    target_timezone: 'Asia/Tokyo',
  });
  assert.match(String(converted['result']), /Asia\/Tokyo[^]*T(19|20):00/);
  assert.match(
    String((await opened.ask('mcp__time__get_current_time', { timezone: 'No/Where' }))['error']),
    /No\/Where/,
  );
  const read = await opened.ask('mcp__fetch__fetch', { url: `${page.url}/page` });
  assert.match(JSON.stringify(read), /The moon is made of rock\./);
  assert.ok(opened.names().includes('mcp__fetch__get_prompt'), 'it offers prompts as well');
  const status = await opened.ask('mcp__git__git_status', { repo_path: repository });
  assert.match(String(status['result']), /a\.txt/);
  await opened.ask('mcp__git__git_add', { repo_path: repository, files: ['a.txt'] });
  const staged = await opened.ask('mcp__git__git_diff_staged', { repo_path: repository });
  assert.match(String(staged['result']), /\+hello/);
  const outside = await opened.ask('mcp__git__git_status', { repo_path: '/' });
  assert.equal(typeof outside['error'], 'string');
});
