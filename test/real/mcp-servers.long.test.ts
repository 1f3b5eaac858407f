/** The reference servers of the MCP project from npm, over every transport. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { temporaryHome } from '../config/temporary-home.ts';
import { openServers, until } from '../mcp/support.ts';
import { installFolder, oneLine } from './install-folder.ts';
import { freePort } from '../fakes/free-port.ts';

const run = promisify(execFile);
const packages = [
  '@modelcontextprotocol/server-everything@2026.8.31',
  '@modelcontextprotocol/server-filesystem@2026.8.31',
];

/** The folder of the programs, or why there is none. */
async function installed(): Promise<{ readonly bin: string } | { readonly why: string }> {
  const folder = installFolder('mcp-servers');
  mkdirSync(folder, { recursive: true });
  try {
    await run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...packages]);
    return { bin: join(folder, 'node_modules', '.bin') };
  } catch (error) {
    return { why: `npm does not install them here: ${oneLine(error)}` };
  }
}

/** Returns its address when it listens. */
async function everythingAt(t: TestContext, bin: string, transport: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await freePort();
  const env = { PATH: process.env['PATH'], PORT: String(port) };
  const child = spawn(join(bin, 'mcp-server-everything'), [transport], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill());
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until(() => /port/i.test(said));
  return `http://127.0.0.1:${port}`;
}

test('the reference servers work over stdio, streamable HTTP and SSE', async (t) => {
  const found = await installed();
  if ('why' in found) return t.skip(found.why);
  const { bin } = found;
  const { home } = temporaryHome(t);
  const data = join(home.path, 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'a.txt'), 'hello');
  const http = await everythingAt(t, bin, 'streamableHttp');
  const sse = await everythingAt(t, bin, 'sse');
  const opened = await openServers(t, {
    files: { command: join(bin, 'mcp-server-filesystem'), args: [data] },
    stdio: { command: join(bin, 'mcp-server-everything') },
    http: { url: `${http}/mcp` },
    sse: { url: `${sse}/sse`, transport: 'sse' },
  });
  const { result } = await opened.ask('mcp__files__read_text_file', { path: join(data, 'a.txt') });
  assert.equal(result, 'hello');
  assert.match(String((await opened.ask('mcp__files__read_text_file', { path: '/etc/passwd' }))['error']), /denied/i);
  for (const server of ['stdio', 'http', 'sse']) {
    assert.deepEqual(await opened.ask(`mcp__${server}__echo`, { message: 'hi' }), { result: 'Echo: hi' });
    assert.match(String((await opened.ask(`mcp__${server}__get_tiny_image`))['result']), /^MEDIA:.*\.png$/m);
    const { structuredContent } = await opened.ask(`mcp__${server}__get_structured_content`, { location: 'Chicago' });
    assert.equal(typeof structuredContent, 'object');
    const { resources } = await opened.ask(`mcp__${server}__list_resources`);
    assert.ok(Array.isArray(resources) && resources.length > 0);
    const { prompts } = await opened.ask(`mcp__${server}__list_prompts`);
    assert.ok(Array.isArray(prompts) && prompts.length > 0);
  }
});
