/** `hermes prompt-size`: offline, without credentials, and small enough. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as z from 'zod';
import { headless } from '../../src/agent/human.ts';
import * as promptSize from '../../src/cli/commands/prompt-size.ts';
import { fixedCost } from '../../src/runtime/measure-prompt.ts';
import { runCommand } from '../cli/config/run-command.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { fakeEntry } from '../mcp/support.ts';
import { placeFor } from '../runtime/support.ts';

const size = z.object({ bytes: z.number(), tokens: z.number() });
const reportShape = z.object({
  platform: z.string(),
  profile: z.string(),
  total: size,
  system_prompt: size,
  tiers: z.object({ stable: size, context: size, volatile: size }),
  skills_index: size,
  memory: size,
  user_profile: size,
  parts: z.array(size.extend({ name: z.string(), tier: z.string() })),
  tool_schemas: size.extend({ count: z.number(), tools: z.array(size.extend({ name: z.string() })) }),
});

test('the report adds up, without a model, a key or a network', async (t) => {
  const outcome = await runCommand(promptSize, temporaryHome(t), '--json');
  assert.equal(outcome.exitCode, 0, outcome.stderr);
  const report = reportShape.parse(JSON.parse(outcome.stdout));
  assert.equal(report.total.tokens, report.system_prompt.tokens + report.tool_schemas.tokens);
  assert.equal(report.total.bytes, report.system_prompt.bytes + report.tool_schemas.bytes);
  assert.equal(report.tool_schemas.count, report.tool_schemas.tools.length);
  assert.ok(report.tool_schemas.tools.some(({ name }) => name === 'terminal'));
  assert.equal(report.parts.at(-1)?.name, 'start');
  assert.ok(report.skills_index.tokens > 100, 'the skills that come along count before the first chat');
});

test('what is counted is what the first request of a conversation carries', async (t) => {
  await using server = await startModelServer();
  const env = { PATH: process.env['PATH'] ?? '', FAL_KEY: 'fal-key-of-a-test', XAI_API_KEY: 'xai-key-of-a-test' };
  const place = temporaryHome(t);
  const { open, work } = placeFor(t, server, 'auxiliary:\n  title_generation: {enabled: false}\n', {
    home: place,
    env,
  });
  const program = await open();
  const human = { ...headless, present: true, clarifies: true };
  const session = await program.openSession({ surface: 'cli', human, mode: { later: {} } });
  server.enqueue({ text: 'Hello.' });
  await session.agent.runConversation('hi');
  const { home, env: variables, config } = program.options;
  const { tools } = await fixedCost({ home, env: variables, config, cwd: work }, { surface: 'cli' });
  const sent = (server.lastRequest.body.tools ?? []).map((tool) => JSON.stringify(tool));
  assert.deepEqual(tools.map(({ text }) => text).sort(), sent.sort());
  const names = tools.map(({ name }) => name);
  for (const name of ['vision_analyze', 'image_generate', 'text_to_speech', 'delegate_task', 'x_search', 'clarify']) {
    assert.ok(names.includes(name), name);
  }
});

/** The tools the mark of 3,600 was set for; each that came later brings its own cost, within what the whole may cost. */
const markedTools = [
  'memory',
  'patch',
  'process',
  'read_file',
  'search_files',
  'session_search',
  'skill_manage',
  'skill_view',
  'skills_list',
  'terminal',
  'todo',
  'write_file',
];

test('the first "hi" is at most 3,600 tokens with the twelve basic tools, and 6,000 with all of them', async (t) => {
  const { stdout } = await runCommand(promptSize, temporaryHome(t), '--json');
  const { total, tiers, tool_schemas: schemas } = reportShape.parse(JSON.parse(stdout));
  assert.ok(total.tokens <= 6_000, `${total.tokens} tokens`);
  const later = schemas.tools.filter(({ name }) => !markedTools.includes(name));
  assert.equal(schemas.count - later.length, markedTools.length);
  // A project's own files are not the agent's fixed cost.
  const basic = total.tokens - tiers.context.tokens - later.reduce((sum, { tokens }) => sum + tokens, 0);
  assert.ok(basic <= 3_600, `${basic} tokens`);
});

/** Whether the tools of the browser are there depends on the machine; they have a mark of their own. */
function browserTokens({ tool_schemas: { tools } }: z.infer<typeof reportShape>): number {
  return tools.filter(({ name }) => name.startsWith('browser_')).reduce((sum, { tokens }) => sum + tokens, 0);
}

test('the tools of the browser are at most 900 tokens', async (t) => {
  const { stdout } = await runCommand(promptSize, temporaryHome(t), '--json');
  const tokens = browserTokens(reportShape.parse(JSON.parse(stdout)));
  assert.ok(tokens <= 900, `${tokens} tokens`);
});

/** The most that each of these may take with the lean profile. */
const leanLater: Readonly<Record<string, number>> = {
  cronjob: 200,
  delegate_task: 130,
  vision_analyze: 80,
  text_to_speech: 60,
};

test('the lean profile says the same in at most 2,000 tokens', async (t) => {
  const place = temporaryHome(t);
  const measure = async () => reportShape.parse(JSON.parse((await runCommand(promptSize, place, '--json')).stdout));
  const usual = await measure();
  place.write('config.yaml', 'agent:\n  prompt_profile: lean\n');
  const lean = await measure();
  assert.equal(lean.profile, 'lean');
  assert.ok(lean.tiers.stable.tokens < usual.tiers.stable.tokens);
  // What the mark was not set for came later, or was not counted then, and brings its own cost.
  const later = lean.tool_schemas.tools.filter(({ name }) => name in leanLater);
  for (const { name, tokens } of later) assert.ok(tokens <= (leanLater[name] ?? 0), `${name}: ${tokens} tokens`);
  const laterTokens = later.reduce((sum, { tokens }) => sum + tokens, 0);
  const fixed = lean.total.tokens - lean.tiers.context.tokens - browserTokens(lean) - laterTokens;
  assert.ok(fixed <= 2_000, `${fixed} tokens`);
  assert.ok(lean.tool_schemas.tokens < usual.tool_schemas.tokens);
  assert.equal(lean.tool_schemas.count, usual.tool_schemas.count);
});

test('the table names every part and the surface that was asked for', async (t) => {
  const { stdout } = await runCommand(promptSize, temporaryHome(t), '--platform', 'telegram');
  for (const line of [
    /on telegram/,
    /^stable tier +\d/m,
    /^ {2}identity +\d/m,
    /^tool schemas \(\d+\)/m,
    /^total +[\d,]+ +[\d,]+$/m,
  ])
    assert.match(stdout, line);
});

test('control marks of a tokenizer in a SOUL.md are counted as the text they are', async (t) => {
  const place = temporaryHome(t);
  place.write('SOUL.md', 'You are <|endoftext|> Ada.');
  assert.equal((await runCommand(promptSize, place, '--json')).exitCode, 0);
});

test('tools of plug-ins and of MCP servers are counted as they are sent, and a server that is not there is told', async (t) => {
  const place = temporaryHome(t);
  const { command, args } = fakeEntry({ tools: [{ name: 'echo', description: 'Says it again.' }] });
  const servers = { say: { command, args }, gone: { command: '/no/such/program' } };
  place.write('config.yaml', JSON.stringify({ mcp_servers: servers, plugins: { enabled: ['notes'] } }));
  mkdirSync(join(place.home.path, 'plugins', 'notes'), { recursive: true });
  place.write('plugins/notes/plugin.yaml', 'description: Keeps notes\n');
  place.write('plugins/notes/index.mjs', notesPlugin);
  const env = { ...place.env, PATH: process.env['PATH'] };
  const { stdout, stderr } = await runCommand(promptSize, { ...place, env }, '--json');
  const names = reportShape.parse(JSON.parse(stdout)).tool_schemas.tools.map(({ name }) => name);
  assert.ok(names.includes('mcp__say__echo') && names.includes('take_note'), names.join(' '));
  assert.match(stderr, /the tools of the MCP server gone are not counted: .*there is no program/);
});

const notesPlugin = `export default (api) => api.registerTool({
  name: 'take_note', toolset: 'notes',
  schema: { description: 'Takes a note', parameters: { type: 'object', properties: {} } },
  handler: () => '{}',
});`;
