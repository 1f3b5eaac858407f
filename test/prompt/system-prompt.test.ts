/** The parts of the system prompt: which, in what order, and the same bytes for the same facts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { toolGuidance } from '../../src/prompt/guidance.ts';
import { joinParts, promptParts } from '../../src/prompt/system-prompt.ts';
import { toolCatalogue } from '../../src/tools/catalogue.ts';
import { type FactChanges, facts } from './support.ts';

const skillsIndex = `## Skills (mandatory)
Look first.

<available_skills>
  coding: how to write code
    - debug: find the cause: slowly
    - review
  notes:
    - journal: a day in a page
</available_skills>

Go on without one otherwise.`;

function promptOf(changes: FactChanges = {}): string {
  return joinParts(promptParts(facts(changes)));
}

test('parts come in the fixed order: what changes rarely first, what changes often last', () => {
  const text = promptOf({
    identity: 'IDENTITY',
    model: 'gpt-5.4',
    skillsIndex,
    deploymentText: 'DEPLOYMENT',
    systemMessage: 'SYSTEM MESSAGE',
    projectContext: '# Project Context\n\nfiles',
    memory: 'MEMORY (',
    userProfile: 'USER PROFILE (',
    externalMemory: 'EXTERNAL',
  });
  const marks = [
    'IDENTITY',
    'memory tool',
    '# Tool-use enforcement',
    '<available_skills>',
    'Working directory:',
    'terminal: simple Markdown',
    'DEPLOYMENT',
    'SYSTEM MESSAGE',
    '# Project Context',
    'MEMORY (',
    'USER PROFILE (',
    'EXTERNAL',
    'Conversation started:',
  ];
  const places = marks.map((mark) => text.indexOf(mark));
  assert.ok(!places.includes(-1), `all are there: ${places.join()}`);
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );
});

test('parts are joined by one blank line, and those without text leave none behind', () => {
  assert.doesNotMatch(promptOf({ memory: '  \n', systemMessage: '' }), /\n\n\n|\n\n$/);
  assert.equal(
    promptOf({ tools: [], surface: 'unknown', identity: 'I' }),
    'I\n\nConversation started: Monday, March 30, 2026\nModel: claude-sonnet-4-6\nProvider: anthropic',
  );
});

test('the same facts give the same bytes', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.subarray(['terminal', 'memory', 'todo', 'skill_view']), (a, b, tools) => {
      const changes = { systemMessage: a, memory: b, tools, skillsIndex };
      assert.equal(promptOf(changes), promptOf({ ...changes }));
    }),
  );
});

test('the start lines name the session only when asked, in the zone that is configured', () => {
  assert.match(promptOf({ timeZone: 'Asia/Tokyo' }), /started: Monday, March 30, 2026\nModel:/);
  assert.match(promptOf({ timeZone: 'Pacific/Kiritimati' }), /started: Tuesday, March 31, 2026\nModel:/);
  assert.match(promptOf({ sessionId: 's1' }), /2026\nSession ID: s1\nModel: claude-sonnet-4-6\nProvider: anthropic$/);
});

test('Alibaba reports a wrong model name, so the prompt insists on the right one', () => {
  assert.match(
    promptOf({ provider: 'alibaba', model: 'qwen3-max' }),
    /Provider: alibaba\nYou run on the model qwen3-max,/,
  );
});

test('two sessions of one day begin with the same bytes', () => {
  const at = (time: string) => promptOf({ startedAt: new Date(`2026-03-30T${time}Z`) });
  assert.equal(at('00:00:01'), at('23:59:59'));
});

test('how the agent works is said whoever it is, and only where it has tools', () => {
  const own = promptOf({ identity: 'You are Ada.' });
  for (const rule of [
    /check the result before/,
    /never put invented output/,
    /together, in one answer/,
    /more than one search/,
  ])
    assert.match(own, rule);
  assert.match(own, /"\[User guidance while you work: …\]" at the end of a tool result is from them/);
  assert.match(own, /load the skill hermes-agent/);
  assert.doesNotMatch(promptOf({ tools: [] }), /How you work/);
  assert.doesNotMatch(promptOf({ tools: ['terminal'] }), /skill hermes-agent/);
  assert.doesNotMatch(promptOf({ completionGuidance: false }), /Finish the job/);
  assert.doesNotMatch(promptOf({ parallelGuidance: false }), /in one answer/);
});

test('skills are offered, saved with a yes and corrected at once: the same in the index, the guidance and the tool', () => {
  const text = promptOf({ tools: ['skill_view', 'skill_manage'], skillsIndex });
  assert.match(text, /offer to save the way as a skill; with the user's yes/);
  assert.equal(text.match(/as a skill/g)?.length, 1);
});

test('tool-use enforcement goes to the families that need it', () => {
  const heading = '# Tool-use enforcement';
  assert.ok(promptOf({ model: 'gpt-5.4' }).includes(heading));
  assert.ok(promptOf({ model: 'openai/GPT-5.4' }).includes('# Execution discipline'));
  assert.ok(promptOf({ model: 'gemini-3-pro' }).includes('# Operating rules'));
  assert.ok(!promptOf({ model: 'gemini-3-pro' }).includes('# Execution discipline'));
  for (const model of ['grok-5', 'qwen3-max', 'deepseek-v4', 'glm-5']) assert.ok(promptOf({ model }).includes(heading));
  assert.ok(!promptOf({ model: 'claude-sonnet-4-6' }).includes(heading));
  assert.ok(promptOf({ model: 'Qwen3', toolUseEnforcement: ['qwen'] }).includes(heading));
  assert.ok(!promptOf({ model: 'gpt-5.4', toolUseEnforcement: ['qwen', ''] }).includes(heading));
  for (const on of [true, 'always', 'YES', ' on ']) assert.ok(promptOf({ toolUseEnforcement: on }).includes(heading));
  for (const off of [false, 'never', 'No', 'off'])
    assert.ok(!promptOf({ model: 'gpt-5.4', toolUseEnforcement: off }).includes(heading));
  assert.ok(promptOf({ model: 'gpt-5.4', toolUseEnforcement: 'sometimes' }).includes(heading));
  assert.ok(!promptOf({ model: 'gpt-5.4', tools: [], toolUseEnforcement: true }).includes(heading));
});

test('guidance speaks of loaded tools only', () => {
  assert.match(promptOf({ tools: ['memory'] }), /Your memory lasts/);
  assert.doesNotMatch(promptOf({ tools: ['terminal'] }), /memory lasts|session_search before|as a skill/);
  assert.match(promptOf({ tools: ['session_search'] }), /search with session_search before/);
  assert.match(promptOf({ tools: ['skill_manage'] }), /five or more tool calls/);
  assert.match(promptOf({ tools: ['read_file', 'terminal'] }), /Prefer read_file/);
  assert.doesNotMatch(promptOf({ tools: ['read_file'] }), /Prefer read_file/);
});

test('guidance names no tool that the session does not have', () => {
  const all = facts({ tools: toolCatalogue.map(({ name }) => name) }).tools.map(({ name }) => name);
  // The others are words of the language too.
  const telling = all.filter((name) => name.includes('_'));
  for (const one of all) {
    for (const other of all) {
      const said = toolGuidance(facts({ tools: [one, other] }).tools, 'default');
      const absent = telling.filter((name) => name !== one && name !== other && said.includes(name));
      assert.deepEqual(absent, [], `${one}, ${other}`);
    }
  }
});

test('the index of skills is left out when no tool could load one', () => {
  assert.ok(promptOf({ skillsIndex, tools: ['skill_view'] }).includes('<available_skills>'));
  assert.ok(!promptOf({ skillsIndex, tools: ['terminal', 'memory'] }).includes('<available_skills>'));
});

test('the lean profile keeps the names of skills and drops what explains them', () => {
  const lean = promptOf({ skillsIndex, profile: 'lean' });
  assert.match(lean, /<available_skills>\ncoding: debug, review\nnotes: journal\n<\/available_skills>/);
  assert.doesNotMatch(lean, /Your memory lasts|find the cause|Finish the job/);
  assert.match(lean, /never an order;[^]*Tools cannot print this mark/);
  assert.ok(lean.length < promptOf({ skillsIndex }).length);
});

test('of a remote environment nothing about this machine is said', () => {
  const text = promptOf({ environment: { kind: 'docker', platform: '', home: '', cwd: '/root' } });
  assert.match(text, /in a docker environment, not on the user's machine. Working directory: \/root\./);
  assert.doesNotMatch(text, /Operating system|Home:/);
  assert.doesNotMatch(promptOf({ tools: ['memory'] }), /Working directory/);
});

test('Windows and WSL are told about their shell', () => {
  const environment = { kind: 'local', platform: 'x', home: '/h', cwd: '/c' } as const;
  assert.match(promptOf({ environment: { ...environment, shell: 'wsl' } }), /inside Windows/);
  assert.match(promptOf({ environment: { ...environment, shell: 'windows' } }), /The shell is bash/);
});

test('a replacement of a platform hint beats what is appended, and touches no other platform', () => {
  const platformHints = {
    slack: { replace: 'ONLY THIS', append: 'NOT THIS' },
    sms: 'AND THIS',
    email: { append: 'ALSO' },
  };
  const slack = promptOf({ surface: 'slack', platformHints });
  assert.ok(slack.includes('ONLY THIS') && !slack.includes('Slack') && !slack.includes('NOT THIS'));
  assert.match(promptOf({ surface: 'sms', platformHints }), /1,600 characters\.\n\nAND THIS/);
  assert.match(promptOf({ surface: 'email', platformHints }), /e-mail[\s\S]*ALSO/);
  assert.equal(promptOf({ surface: 'telegram', platformHints }), promptOf({ surface: 'telegram' }));
});

test('a malformed override leaves the hint as it is', () => {
  for (const slack of [5, null, [], { replace: 7 }, { append: {} }, { other: 'x' }, '  '])
    assert.equal(promptOf({ surface: 'slack', platformHints: { slack } }), promptOf({ surface: 'slack' }));
});

test('every platform of the original has a hint', () => {
  const bare = promptOf({ surface: 'none' });
  const known = `whatsapp whatsapp_cloud telegram discord slack signal email cron cli tui desktop sms bluebubbles mattermost
    matrix feishu weixin wecom qqbot yuanbao api_server webui`;
  for (const surface of known.split(/\s+/)) assert.ok(promptOf({ surface }).length > bare.length, surface);
  for (const surface of ['whatsapp', 'signal', 'telegram', 'discord', 'slack'])
    assert.match(promptOf({ surface }), /MEDIA:\/absolute\/path/, surface);
  assert.equal(promptOf({ surface: 'constructor' }), bare);
});
