/** `hermes tools` with what plug-ins and MCP servers bring. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import * as tools from '../../src/cli/commands/tools.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { runCommand } from './config/run-command.ts';

test('toolsets of plug-ins and MCP servers are listed without starting one, and their tools switched', async (t) => {
  const place = temporaryHome(t);
  const servers = {
    all: { command: '/no/such' },
    few: { url: 'https://x.test/mcp', tools: { include: ['a', 'b'] } },
    off: { command: '/no/such', enabled: false },
  };
  const written = {
    mcp_servers: servers,
    plugins: { enabled: ['notes'] },
    platform_toolsets: { telegram: ['file', 'few'] },
  };
  place.write('config.yaml', JSON.stringify(written));
  mkdirSync(join(place.home.path, 'plugins', 'notes'), { recursive: true });
  place.write('plugins/notes/plugin.yaml', 'description: Keeps notes\n');
  place.write('plugins/notes/index.mjs', notesPlugin);
  const listed = await runCommand(tools, place, 'list');
  assert.match(listed.stdout, /\nToolsets of plug-ins \(cli\):\n {2}✓ enabled {3}notes {2}take_note\n/);
  assert.match(
    listed.stdout,
    /MCP servers \(cli\):\n {2}✓ enabled {3}all {2}all tools\n {2}✓ enabled {3}few {2}only a, b\n {2}✗ disabled {2}off /,
  );
  assert.match((await runCommand(tools, place, 'list', '--platform', 'telegram')).stdout, /✗ disabled {2}all /);

  assert.equal((await runCommand(tools, place, 'disable', 'all:drop', 'few:a', 'todo')).exitCode, 0);
  assert.equal((await runCommand(tools, place, 'enable', 'few:c')).exitCode, 0);
  const now = parse(place.read('config.yaml'));
  assert.deepEqual(
    [now.mcp_servers.all.tools, now.mcp_servers.few.tools],
    [{ exclude: ['drop'] }, { include: ['b', 'c'] }],
  );
  assert.ok(!now.platform_toolsets.cli.includes('todo') && !now.platform_toolsets.cli.includes('all:drop'));
  const unknown = await runCommand(tools, place, 'disable', 'todo', 'nobody:x');
  assert.deepEqual(
    [unknown.exitCode, /'nobody:x' names no tool.*\nThere are: all, few, off/.test(unknown.stderr)],
    [2, true],
  );
});

const notesPlugin = `export default (api) => api.registerTool({
  name: 'take_note', toolset: 'notes',
  schema: { description: 'Takes a note', parameters: { type: 'object', properties: {} } },
  handler: () => '{}',
});`;
