/** `check_fn` of tools of plug-ins: how often it is asked, and what it says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createToolbox } from '../../src/agent/toolbox.ts';
import { PluginConversations } from '../../src/plugins/conversations.ts';
import { pluginTool } from '../../src/plugins/packages/plugin-tool.ts';
import { ToolChecks } from '../../src/plugins/packages/tool-checks.ts';

/** Two tools with one check; `at` is where the clock stands. */
function sharing(check: () => unknown) {
  let at = 0;
  const checks = new ToolChecks(() => at);
  const toolNamed = (name: string) => {
    const own = { name, toolset: 'x', schema: { type: 'object' }, handler: () => '', override: false };
    return pluginTool('plug-in x', { ...own, check_fn: check }, { conversations: new PluginConversations(), checks });
  };
  const tools = ['a', 'b'].map(toolNamed);
  return (seconds: number) => {
    at = seconds * 1000;
    return createToolbox(tools, { state: { hosts: { entered: () => [] } } }).names;
  };
}

test('a check that two tools share is asked once for a list of tools, and again after 30 seconds', () => {
  let asked = 0;
  const namesAt = sharing(() => (asked += 1) > 0);
  assert.deepEqual([namesAt(0), asked], [['a', 'b'], 1]);
  assert.deepEqual([namesAt(29), asked], [['a', 'b'], 1]);
  assert.deepEqual([namesAt(30), asked], [['a', 'b'], 2]);
});

test('a check that fails within a minute after it passed has stumbled; later its tools are gone', () => {
  let passes = true;
  const namesAt = sharing(() => passes);
  assert.deepEqual(namesAt(0), ['a', 'b']);
  passes = false;
  assert.deepEqual(namesAt(40), ['a', 'b']);
  assert.deepEqual(namesAt(61), []);
  passes = true;
  assert.deepEqual(namesAt(80), [], 'that it fails is believed for a while too');
  assert.deepEqual(namesAt(92), ['a', 'b']);
});

test('the tools of a check that throws are not there, and nobody else minds', () => {
  const namesAt = sharing(() => {
    throw new Error('no');
  });
  assert.deepEqual(namesAt(0), []);
});
