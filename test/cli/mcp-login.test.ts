/** `hermes mcp login`, `reauth` and `add --auth oauth`, at a terminal far from any browser. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import * as mcp from '../../src/cli/commands/mcp.ts';
import { UserError } from '../../src/lib/errors.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { type McpOAuthServer, startMcpOAuthServer } from '../fakes/mcp-oauth-server.ts';
import { contextOn } from './config/run-command.ts';

async function setUp(t: TestContext) {
  const server = await startMcpOAuthServer();
  t.after(() => server[Symbol.asyncDispose]());
  const place = temporaryHome(t);
  const tokens = join(place.home.path, 'mcp-tokens', 'far.json');
  return {
    ...place,
    server,
    token: (): unknown => (existsSync(tokens) ? JSON.parse(readFileSync(tokens, 'utf8')).access_token : undefined),
    /** The person opens each address that is shown on another machine, and pastes where that browser ended. */
    run: (...words: string[]) => run(place, server, words),
  };
}

async function run(place: ReturnType<typeof temporaryHome>, server: McpOAuthServer, words: string[]) {
  const stdin = new PassThrough();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = { stdout: '', stderr: '' };
  stdout.on('data', (piece: Buffer) => {
    said.stdout += piece.toString();
    const address = /http:\S+\/authorize\S+/.exec(piece.toString())?.[0];
    if (address !== undefined) void server.agree(address).then((back) => stdin.write(`${back.href}\n`));
  });
  stderr.on('data', (piece: Buffer) => {
    said.stderr += piece.toString();
  });
  const context = contextOn(place, { stdin, stdout, stderr });
  try {
    await mcp.build(context).exitOverride().parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    said.stderr += `${error.message}\n${error.hint ?? ''}\n`;
    context.exitCode = error.exitCode;
  }
  return { ...said, exitCode: context.exitCode };
}

test('a server behind a login is added with it, logged in to again, and forgotten with its tokens', async (t) => {
  const { server, run, read, token } = await setUp(t);
  const added = await run('add', 'far', '--url', server.mcp, '--auth', 'oauth');
  assert.deepEqual([added.exitCode, added.stderr], [0, '']);
  assert.match(added.stdout, /Callback URL, or the code that the page shows:[^]*far: connected over http .* 1 tool\n/);
  assert.match(read('config.yaml'), /far:\n {4}url: \S+\n {4}auth: oauth\n/);
  const first = token();
  assert.match((await run('list')).stdout, /far {2}http {2}all tools, logged in {2}http/);
  assert.match((await run('login', 'far')).stdout, /Logged in to far\.\nfar: connected/);
  assert.notEqual(token(), first);
  assert.match((await run('reauth', '--all')).stdout, /\nfar:\n[^]*Logged in to 1 of 1\.\n$/);
  assert.equal((await run('remove', 'far')).exitCode, 0);
  assert.equal(token(), undefined);
});

test('a login that fails leaves the one before, and what is asked wrongly is told in one line', async (t) => {
  const { server, run, write, token } = await setUp(t);
  write(
    'config.yaml',
    `mcp_servers:\n  far: {url: "${server.mcp}", auth: oauth}\n  open: {url: "http://x.test"}\n  own: {command: x}\n`,
  );
  assert.match((await run('list')).stdout, /far {2}http {2}all tools, not logged in/);
  await run('login', 'far');
  const first = token();
  server.settings.hasRegistration = false;
  const failed = await run('login', 'far');
  assert.equal(failed.exitCode, 1);
  assert.match(failed.stderr, /lets no program register itself\.\nRegister one with its makers.*far\.oauth\.client_id/);
  assert.equal(token(), first);
  assert.equal((await run('reauth', '--all')).exitCode, 1);
  for (const [words, line] of [
    [['login', 'none'], /There is no MCP server 'none'.*\nThere are: far, open, own/],
    [['login', 'open'], /no login with OAuth\.\nSet auth: oauth/],
    [['login', 'own'], /no login with OAuth\.\nA server with a command has none/],
    [['reauth'], /Name one server, or say --all/],
    [['reauth', 'far', '--all'], /Name one server, or say --all/],
  ] as const) {
    const outcome = await run(...words);
    assert.equal(outcome.exitCode, 2, outcome.stderr);
    assert.match(outcome.stderr, line);
  }
});
