/** How a turn goes: plain answers, broken calls, failing servers, flags. */
import { differences } from '../differences.ts';
import { call, calls, type Scenario } from '../scenario.ts';

const quick = ['  api_max_retries: 1'];

export const turnScenarios: readonly Scenario[] = [
  { name: 'turn: a plain answer', steps: [{ text: 'hello' }] },
  { name: 'turn: an answer with reasoning', steps: [{ text: 'hello', reasoning: 'thinking' }] },
  { name: 'turn: thinking tags in the text', steps: [{ text: '<think>hm</think>hello' }] },
  { name: 'turn: text beside a call', steps: [{ text: 'I look.', toolCalls: [{ name: 'todo', arguments: {} }] }] },
  { name: 'turn: an unknown tool', steps: [call('fly', { to: 'moon' })] },
  { name: 'turn: a tool name in capitals', steps: [call('Terminal', { command: 'echo hi' })] },
  {
    name: 'turn: arguments that are not JSON',
    steps: [call('terminal', '{"command": ')],
    differs: { roles: differences.unreadable, keys: differences.unreadable },
  },
  { name: 'turn: arguments that are empty', steps: [call('todo', '')] },
  { name: 'turn: arguments that are a list', steps: [call('terminal', '["echo hi"]')] },
  { name: 'turn: an argument too many', steps: [call('terminal', { command: 'echo hi', color: 'red' })] },
  {
    name: 'turn: an unknown tool beside a known one',
    steps: [calls(['fly', {}], ['todo', {}])],
    differs: { keys: differences.unknownTool },
  },
  { name: 'turn: the same call twice in one answer', steps: [calls(['todo', {}], ['todo', {}])] },
  { name: 'turn: an empty answer', steps: [{}, { text: 'now' }] },
  { name: 'turn: cut by length', steps: [{ text: 'begin', finishReason: 'length' }, { text: ' end' }] },
  { name: 'turn: status 500 once', steps: [{ fault: 'status', status: 500, body: 'oops' }, { text: 'now' }] },
  {
    name: 'turn: status 429 once',
    steps: [{ fault: 'status', status: 429, headers: { 'retry-after': '0' } }, { text: 'now' }],
  },
  {
    name: 'turn: status 401',
    steps: [{ fault: 'status', status: 401, body: { error: { message: 'bad key' } } }],
    agentSettings: quick,
    differs: { exit: differences.failedRequest },
  },
  {
    name: 'turn: status 404',
    steps: [{ fault: 'status', status: 404, body: { error: { message: 'no such model' } } }],
    agentSettings: quick,
    differs: { exit: differences.failedRequest },
  },
  {
    name: 'turn: status 400',
    steps: [{ fault: 'status', status: 400, body: { error: { message: 'bad request' } } }],
    agentSettings: quick,
    differs: { exit: differences.failedRequest },
  },
  {
    name: 'turn: --max-turns',
    steps: [call('todo', {}), call('todo', {}), call('todo', {})],
    args: ['chat', '-q', 'do it', '-Q', '--yolo', '--max-turns', '2'],
    differs: { exit: differences.usedUp },
  },
  { name: 'turn: a toolset', steps: [{ text: 'ok' }], args: ['-z', 'do it', '-t', 'file'] },
  { name: 'turn: another model', steps: [{ text: 'ok' }], args: ['-z', 'do it', '-m', 'other-model'] },
  { name: 'turn: chat -q', steps: [{ text: 'ok' }], args: ['chat', '-q', 'do it'] },
  { name: 'turn: chat -q -Q', steps: [{ text: 'ok' }], args: ['chat', '-q', 'do it', '-Q'] },
  {
    name: 'turn: chat -q with a tool',
    steps: [call('terminal', { command: 'echo hi' })],
    args: ['chat', '-q', 'do it', '--yolo'],
  },
  { name: 'turn: rules ignored', steps: [{ text: 'ok' }], args: ['-z', 'do it', '--ignore-rules'] },
  { name: 'turn: an unknown option', steps: [], args: ['-z', 'do it', '--no-such-option'] },
  { name: 'turn: an unknown command', steps: [], args: ['no-such-command'] },
  {
    name: 'turn: an unknown session',
    steps: [],
    args: ['chat', '-q', 'hi', '--resume', 'none'],
    differs: { exit: differences.noSession },
  },
  { name: 'turn: the version', steps: [], args: ['--version'] },
  { name: 'turn: project rules', steps: [{ text: 'ok' }], files: { 'AGENTS.md': 'Answer in verse.\n' } },
  { name: 'turn: an own identity', steps: [{ text: 'ok' }], home: { 'SOUL.md': 'You are a teapot.\n' } },
];
