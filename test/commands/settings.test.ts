/** Slash commands that show or change how things are done. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { textOf } from '../../src/llm/message.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { openConversation } from './conversation.ts';

test('/help, /HELP and /h are the same, and every command stands in it once', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  const text = await chat.type('/help');
  assert.equal(await chat.type('/HELP'), text);
  assert.equal(await chat.type('/h'), text);
  assert.match(text, /^Session\n[\s\S]*\nConfiguration\n[\s\S]*\nInfo\n[\s\S]*\nExit\n[\s\S]*\nKeys\n/);
  assert.equal(text.match(/^ {2}\/queue, \/q <prompt> /gm)?.length, 1);
});

test('/help lists what skills and bundles can be called, in one line each', async (t) => {
  await using server = await startModelServer();
  const place = temporaryHome(t);
  mkdirSync(join(place.home.path, 'skills', 'dev', 'greet'), { recursive: true });
  mkdirSync(join(place.home.path, 'skill-bundles'));
  place.write('skills/dev/greet/SKILL.md', `---\nname: greet\ndescription: How to ${'greet '.repeat(20)}\n---\nText\n`);
  place.write('skill-bundles/manners.yaml', 'description: All of it\nskills: [greet]\n');
  const chat = await openConversation(t, server, '', { place });
  const text = await chat.type('/help');
  assert.match(
    text,
    /\nSkills \(2\)\n {2}\/manners +bundle: All of it\n {2}\/greet +How to greet [greet ]{30,45}…\n\nKeys\n/,
  );
});

test('/usage counts what the session cost', async (t) => {
  await using server = await startModelServer();
  const usage = {
    prompt_tokens: 12_000,
    completion_tokens: 500,
    total_tokens: 12_500,
    prompt_tokens_details: { cached_tokens: 3000 },
  };
  server.enqueue({ text: 'hi', usage });
  const chat = await openConversation(t, server);
  await chat.say('hello');
  const text = await chat.type('/usage');
  assert.match(text, /Prompt: +12,000 tokens, 25% from the cache/);
  assert.match(text, /Answers: +500 tokens/);
  assert.match(text, /Messages: 2/);
  await assert.rejects(chat.type('/usage reset --force'), /openai-codex only/);
  await assert.rejects(chat.type('/usage today'), /does not know 'today'/);
});

test('/context shows what a request is made of and what came from the cache', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server, 'agent:\n  system_prompt: Answer in rhymes.\n');
  const before = await chat.type('/context');
  assert.match(before, /\nMessages \(0\) +0 +0%\n/);
  assert.match(before, /No request yet/);
  const usage = { prompt_tokens: 4000, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 3800 } };
  server.enqueue({ toolCalls: [{ name: 'todo', arguments: {} }], usage }, { text: 'done', usage });
  await chat.say('x'.repeat(4000));
  const text = await chat.type('/context');
  for (const part of ['identity', 'environment', 'added to each request', 'todo', 'tool results', 'answers and tool']) {
    assert.match(text, new RegExp(`^  ${part}.* \\d+ +\\d+%$`, 'm'));
  }
  assert.match(text, /^ {2}yours +1,010 /m);
  assert.match(text, /^Messages \(4\) /m);
  assert.match(text, /The last request had 4,000 tokens/);
  assert.match(text, /cache since this program started: 95% \(7,600 of 8,000 tokens\)/);
  // The parts of the prompt are all there is in it.
  const sent = server.lastRequest.body.messages[0]?.content;
  const parts = (await chat.session.prompt.parts()).prompt;
  assert.equal(parts.map((part) => part.text).join('\n\n'), sent);
  const total = Number(/^Total +([\d,]+)/m.exec(text)?.[1]?.replaceAll(',', ''));
  assert.ok(Math.abs(total - server.lastRequest.rawBody.length / 4) < total / 5, `${total}`);
});

test('/context tells what the prompt still carries after its sources changed', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  writeFileSync(join(chat.homePath, 'SOUL.md'), 'You are Iris.');
  await chat.say('hello');
  writeFileSync(join(chat.homePath, 'SOUL.md'), 'You are Juno.');
  const { prompt } = await chat.session.prompt.parts();
  assert.match(prompt.at(-1)?.name ?? '', /as it was at the start/);
  assert.equal(prompt.at(-1)?.text, 'You are Iris.');
});

test('/status shows model, title and tools without asking the model', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [{ name: 'todo', arguments: {} }] }, { text: 'done' });
  const chat = await openConversation(t, server);
  await chat.say('go');
  await chat.type('/title things to do');
  const text = await chat.type('/status');
  assert.match(text, /Model: +test-model \(custom\)/);
  assert.match(text, new RegExp(`Session: +${chat.session.id}`));
  assert.match(text, /Title: +things to do/);
  assert.match(text, /State: +idle, 0 background processes/);
  assert.match(text, /Turns: +1, 1 tool results/);
  assert.match(text, /Tools: +todo ×1/);
  assert.equal(server.requests.length, 2);
});

test('/model switches for this session only, and says what another provider lacks', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const chat = await openConversation(t, server);
  assert.match(await chat.type('/model'), /Model: test-model\nProvider: custom/);
  assert.match(await chat.type('/model other-model'), /Model: other-model/);
  await chat.say('hello');
  assert.equal(server.lastRequest.body.model, 'other-model');
  await assert.rejects(chat.type('/model openrouter:x'), /OPENROUTER_API_KEY/);
  assert.match(await chat.type('/model'), /Model: other-model/);
  await chat.type('/new now');
  await chat.say('hello');
  assert.equal(server.lastRequest.body.model, 'test-model');
  assert.doesNotMatch(chat.config(), /other-model/);
  assert.match(await chat.type('/model other-model --global'), /does not list[\s\S]*Stored as the default/);
  assert.match(chat.config(), /default: other-model/);
});

test('/model --once is for the next turn alone, and the model from before is told that it is back', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const chat = await openConversation(t, server, '  persist_switch_by_default: true\n');
  const saying = async (text: string): Promise<string | undefined> => {
    await chat.say(text);
    return server.lastRequest.body.model;
  };
  await chat.say('hello');
  assert.match(await chat.type('/model other-model --once'), /For the next turn only/);
  assert.equal(await saying('with the other one'), 'other-model');
  assert.equal(await saying('as before'), 'test-model');
  const notes = server.lastRequest.body.messages.map((message) => JSON.stringify(message)).join('\n');
  assert.match(
    notes,
    /you are the model other-model[^]*with the other one[^]*you are the model test-model[^]*as before/,
  );
  assert.equal(await saying('still'), 'test-model');
  await chat.type('/model other-model --once');
  await chat.type('/model third-model --session');
  assert.equal(await saying('a later switch holds'), 'third-model');
  assert.equal(await saying('and goes on holding'), 'third-model');
  assert.doesNotMatch(chat.config(), /other-model|third-model/);
  for (const bad of ['--once', 'x --once --global']) await assert.rejects(chat.type(`/model ${bad}`), /--once/);
  assert.deepEqual(server.violations, []);
});

test('with model.persist_switch_by_default /model keeps what is named, unless a flag names the provider or says otherwise', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server, '  persist_switch_by_default: true\n');
  await chat.type('/model one --session');
  await chat.type('/model two --provider custom');
  await chat.type('/model');
  assert.match(chat.config(), /default: test-model/);
  assert.match(await chat.type('/model three'), /Stored as the default/);
  assert.match(chat.config(), /default: three/);
});

test('/model --global leaves nothing of the old endpoint: its key never goes to the new one', async (t) => {
  await using old = await startModelServer({ respond: () => ({ text: 'ok' }) });
  await using other = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const more =
    '  key_env: OLD_KEY\n  api_mode: chat_completions\n  context_length: 100000\n  supports_vision: true\n' +
    `custom_providers:\n  - name: two\n    base_url: ${other.url}\n`;
  const chat = await openConversation(t, old, more);
  await chat.type('/model other-model --global');
  assert.match(chat.config(), /api_key: test-key[^]*api_mode: chat/, 'the same endpoint keeps its key');
  assert.doesNotMatch(chat.config(), /context_length: 1|supports_vision/, 'but not what was said of another model');
  await chat.type('/model custom:two:m2 --global');
  const model = /^model:\n(?: .*\n)*/m.exec(chat.config())?.[0] ?? '';
  assert.equal(model, 'model:\n  provider: custom:two\n  default: m2\n');
});

test('/model <name> asks with the key of the endpoint, and a list that cannot be had is a warning', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  await using saved = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const gone = 'custom_providers:\n  - {name: gone, base_url: "http://127.0.0.1:9/v1", model: m}\n';
  const own = `  - {name: own, base_url: "${saved.url}", model: m, api_key: key-of-own-endpoint}\n`;
  const chat = await openConversation(t, server, gone + own);
  assert.match(
    await chat.type('/model custom:gone:qwen:7b'),
    /could not be listed[^]*Model: qwen:7b\nProvider: custom:gone/,
  );
  assert.match(await chat.type('/model custom:own:m'), /Model: m/);
  assert.doesNotMatch(chat.config(), /qwen:7b/);
});

test('/verbose goes round in four steps', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  const modes: string[] = [];
  for (let step = 0; step < 4; step += 1) modes.push(await chat.type('/verbose'));
  assert.deepEqual(
    modes,
    ['verbose', 'off', 'new', 'all'].map((mode) => `Tool progress: ${mode}`),
  );
  assert.equal(chat.settings.toolProgress, 'all');
});

test('switches take their words and refuse others', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  assert.match(await chat.type('/busy Queue'), /hold your message/);
  assert.equal(chat.settings.busyMode, 'queue');
  assert.match(chat.config(), /busy_input_mode: queue/);
  assert.match(await chat.type('/busy status'), /hold your message/);
  await assert.rejects(chat.type('/busy foo'), /interrupt, queue, steer/);
  assert.equal(await chat.type('/reasoning show'), 'Reasoning effort: medium. Reasoning is shown.');
  assert.match(await chat.type('/reasoning high'), /effort: high/);
  assert.match(chat.config(), /show_reasoning: true/);
  assert.doesNotMatch(chat.config(), /reasoning_effort/, 'for this conversation only');
  assert.match(await chat.type('/reasoning low --global'), /effort: low/);
  assert.match(chat.config(), /reasoning_effort: low/);
  await assert.rejects(chat.type('/reasoning banana'), /not one of/);
  assert.equal(chat.settings.showReasoning, true);
  assert.match(await chat.type('/yolo'), /YOLO on/);
  assert.equal(chat.session.yolo, true);
  assert.match(await chat.type('/yolo'), /YOLO off/);
  assert.equal(await chat.type('/statusbar'), '(redrawn)');
  assert.equal(chat.settings.statusBar, false);
});

test('the rest says what there is', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  assert.match(await chat.type('/tools'), /^file: .*read_file[\s\S]*^terminal: .*process/m);
  const sets = await chat.type('/toolsets');
  assert.match(sets, /^● file +\d+ tools: .*read_file/m);
  assert.match(sets, /^● terminal +2 tools: terminal, process$/m);
  assert.match(await chat.type('/version'), /^Hermes Agent v1\.2\.3 · Node v\d+/);
  assert.equal(await chat.type('/profile'), 'Profile: default\nHome: ~/.hermes');
  assert.equal(await chat.type('/config'), 'the report');
  assert.equal(await chat.type('/stop'), 'Nothing was running.');
  assert.match(await chat.type('/queue'), /^No message waits\. Hold one with: \/queue/);
  assert.match(await chat.type('/steer'), /Usage/);
  assert.equal(await chat.type('/clear'), '(cleared)', 'nothing is asked where nothing is lost');
});

test('/permissions lists what was allowed for good and takes it back', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server, 'command_allowlist:\n  - recursive delete\n  - SQL DROP\n');
  assert.match(await chat.type('/permissions'), /1 {2}every command of the kind “recursive delete”\n.*2 .*“SQL DROP”/);
  await assert.rejects(chat.type('/permissions revoke 7'), /'7' is not in the list/);
  await assert.rejects(chat.type('/permissions what'), /Usage/);
  assert.match(await chat.type('/permissions revoke 1'), /Taken back: recursive delete/);
  assert.doesNotMatch(chat.config(), /recursive delete/);
  assert.match(chat.config(), /SQL DROP/);
  await chat.type('/permissions revoke all');
  assert.match(await chat.type('/permissions'), /Nothing is allowed for good/);
});

test('/permissions shows how far each of them reaches', async (t) => {
  await using server = await startModelServer();
  const allow =
    '["git status", {pattern: "npm run *", folder: /srv/app}, {command: "make deploy", folder: /srv/app, files: {/srv/app/Makefile: a1, /srv/app/makefile: none}}, {command: date}]';
  const chat = await openConversation(t, server, `approvals: {allow: ${allow}}\ncommand_allowlist: [SQL DROP]\n`);
  assert.deepEqual((await chat.type('/permissions')).split('\n').slice(1, 6), [
    '  1  “git status” in every folder',
    '  2  “npm run *” in /srv/app and below',
    '  3  this very command in /srv/app, until /srv/app/Makefile changes: “make deploy”',
    '  4  this very command: “date”',
    '  5  every command of the kind “SQL DROP”',
  ]);
  assert.match(await chat.type('/permissions revoke 2'), /Taken back: npm run \*/);
  assert.match(await chat.type('/permissions revoke 4'), /Taken back: SQL DROP/);
  assert.match(await chat.type('/permissions revoke date'), /Taken back: date/);
  assert.match(chat.config(), /git status[^]*command: make deploy/);
  assert.doesNotMatch(chat.config(), /npm run|SQL DROP|date/);
});

test('wrong words behind a command are answered with the right ones', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  await assert.rejects(chat.type('/verbose wrong'), /does not know 'wrong'/);
  await assert.rejects(chat.type('/statusbar maybe'), /does not know 'maybe'/);
  assert.equal(chat.settings.toolProgress, 'all');
  assert.match(await chat.type('/verbose off'), /off/);
  await chat.type('/statusbar off');
  await chat.type('/statusbar off');
  assert.equal(chat.settings.statusBar, false);
});

test('/tools disable and enable begin a conversation with fewer and with more tools, after a question', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  const before = chat.session;
  await assert.rejects(chat.type('/tools disable nosuch'), /no tools named nosuch/);
  await assert.rejects(chat.type('/tools enable file'), /already has file/);
  await assert.rejects(chat.type('/tools disable'), /Usage/);
  chat.answer = false;
  await chat.type('/tools disable terminal');
  assert.equal(chat.session, before, 'the answer was no');
  chat.answer = true;
  const without = await chat.type('/tools disable terminal');
  assert.match(chat.asked.at(-1) ?? '', /End this one and start a new one without terminal\?/);
  assert.match(without, /^New session started[^]*file: .*read_file/);
  assert.match(await chat.type('/toolsets'), /^ {2}terminal +2 tools/m);
  assert.doesNotMatch(without, /terminal:/);
  await chat.say('hello');
  const offered = server.requests.at(-1)?.rawBody ?? '';
  assert.match(offered, /"read_file"/);
  assert.doesNotMatch(offered, /"name":"terminal"/);
  assert.match(await chat.type('/tools enable terminal now'), /terminal: terminal, process/);
});

test('what was allowed for good is asked about again as soon as it is taken back', async (t) => {
  await using server = await startModelServer();
  const remove = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf src' } }] };
  server.enqueue(remove, { text: 'done' }, remove, { text: 'refused' });
  const chat = await openConversation(t, server, 'command_allowlist:\n  - recursive delete\n');
  await chat.say('clean up');
  const results = (): string[] =>
    chat.session.agent.history.flatMap((message) => (message.role === 'tool' ? [textOf(message.content)] : []));
  assert.doesNotMatch(results().at(-1) ?? '', /recursive delete/);
  await chat.type('/permissions revoke 1');
  await chat.say('clean up again');
  assert.match(results().at(-1) ?? '', /recursive delete/);
});

test('/fast --global asks for the faster tier from then on; the place can be described in the configuration', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'hi' });
  const env = { HERMES_ENVIRONMENT_HINT: 'The lab has no network.' };
  const chat = await openConversation(t, server, 'agent: {service_tier: fast, environment_hint: overridden}\n', {
    env,
  });
  assert.match(await chat.type('/fast status'), /is on/);
  assert.match(await chat.type('/fast'), /is on/, 'alone it only says so');
  await chat.type('/fast off --global');
  assert.match(chat.config(), /service_tier: normal/);
  await assert.rejects(chat.type('/fast on --global'), /test-model has no faster tier/);
  assert.match(chat.config(), /service_tier: normal/);
  for (const name of ['gpt-5.3-codex', 'claude-opus-4-5']) {
    await chat.type(`/model ${name}`);
    await assert.rejects(chat.type('/fast on'), /no faster tier/);
  }
  for (const name of ['openai/gpt-5.4:beta', 'claude-opus-4.6']) {
    await chat.type(`/model custom:${name}`);
    assert.match(await chat.type('/fast on'), /Fast mode is on/, name);
  }
  await chat.type('/fast normal');
  await chat.say('hello');
  assert.match(
    JSON.stringify(server.lastRequest.body.messages[0]),
    /Working directory: [^ ]+\. The lab has no network\./,
  );
});
