/** The conformance suite of the MCP project, against our client and our server. No failure is expected. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { mainFile, makePlace } from '../cli/hermes-process.ts';
import { installFolder, oneLine } from './install-folder.ts';
import { bridgeTo } from './mcp-http-bridge.ts';

const run = promisify(execFile);
const suite = '@modelcontextprotocol/conformance@0.1.16';
/** What our client asks for and our server answers. */
const version = '2025-11-25';
/** What a server without resources, prompts and tools for this suite has to do. Those are called by their names in the others. */
const ofServer = ['server-initialize', 'ping', 'tools-list'];
/** It measures how late a reconnection is, in fractions of a second. */
const timed = new Set(['sse-retry']);

interface Suite {
  /** Runs it; resolves with what it said when every check has passed, and rejects with it otherwise. */
  run(...args: string[]): Promise<string>;
}

async function installed(t: TestContext): Promise<Suite | string> {
  const folder = installFolder('mcp-conformance');
  mkdirSync(folder, { recursive: true });
  try {
    await run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', suite]);
  } catch (error) {
    return `npm does not install ${suite} here: ${oneLine(error)}`;
  }
  const cwd = mkdtempSync(join(tmpdir(), 'hermes-conformance-'));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  const program = join(folder, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
  return {
    async run(...args) {
      try {
        return (await run(process.execPath, [program, ...args], { cwd })).stdout;
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        throw new Error(`${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
      }
    },
  };
}

/** Names of the scenarios for the version. */
async function scenariosOf(found: Suite, side: '--client' | '--server'): Promise<readonly string[]> {
  const listed = await found.run('list', side, '--spec-version', version);
  return [...listed.matchAll(/^\s+- (\S+)/gm)].map(([, name = '']) => name);
}

test('our client passes every scenario of the version that it asks for, those of logins too', async (t) => {
  const found = await installed(t);
  if (typeof found === 'string') return t.skip(found);
  const scenarios = await scenariosOf(found, '--client');
  assert.ok(scenarios.length >= 18, scenarios.join(' '));
  const command = `${process.execPath} ${fileURLToPath(new URL('mcp-conformance-client.ts', import.meta.url))}`;
  for (const scenario of scenarios) {
    const once = async () =>
      await found.run('client', '--command', command, '--scenario', scenario, '--timeout', '120000');
    // A machine that is busy is late by itself.
    await (timed.has(scenario) ? once().catch(once).catch(once) : once());
  }
});

test('our server passes the scenarios of what it offers', async (t) => {
  const found = await installed(t);
  if (typeof found === 'string') return t.skip(found);
  const { work, env } = makePlace(t);
  const args = [mainFile, 'mcp', 'serve'];
  const url = await bridgeTo(t, { command: process.execPath, args, cwd: work, env });
  const scenarios = await scenariosOf(found, '--server');
  for (const scenario of ofServer) {
    assert.ok(scenarios.includes(scenario), `${scenario} is a scenario of the suite`);
    await found.run('server', '--url', url, '--scenario', scenario);
  }
});
