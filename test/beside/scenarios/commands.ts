/** Commands and processes. */
import { differences } from '../differences.ts';
import { call, calls, ofTool, type Scenario, withDifferences } from '../scenario.ts';

const scenarios: readonly Scenario[] = [
  ...ofTool(
    'terminal',
    {
      'one line of output': [{ command: 'echo hi' }],
      'no output': [{ command: 'true' }],
      'a failing command': [{ command: 'false' }],
      'an exit code of its own': [{ command: 'exit 3' }],
      'output on stderr': [{ command: 'echo oops >&2' }],
      'a command that is not there': [{ command: 'no-such-program-here' }],
      'grep without a match': [{ command: 'grep nothing a.txt' }],
      'diff that differs': [{ command: 'diff a.txt b.txt' }],
      'a test that fails': [{ command: 'test -f missing.txt' }],
      'find with an unreadable start': [{ command: 'find missing-folder' }],
      'long output': [{ command: 'seq 1 20000' }],
      'binary output': [{ command: 'head -c 200 /dev/zero' }],
      'colours in the output': [{ command: "printf '\\033[31mred\\033[0m'" }],
      'another folder': [{ command: 'pwd', workdir: '/tmp' }],
      'a folder that is not there': [{ command: 'pwd', workdir: '/no/such/folder' }],
      'the folder is kept': [{ command: 'mkdir -p deep && cd deep' }, { command: 'pwd' }],
      'a command that runs out of time': [{ command: 'sleep 20', timeout: 1 }],
      'a pipe': [{ command: 'cat a.txt | wc -l' }],
      'several lines': [{ command: 'echo one\necho two' }],
      'a quote that is not closed': [{ command: 'echo "open' }],
      'an empty command': [{ command: '' }],
      'no command': [{}],
      'a number for the command': [{ command: 5 }],
      'a timeout as text': [{ command: 'echo hi', timeout: '5' }],
      'a python version': [{ command: 'python3 -c "print(1)"' }],
    },
    { files: { 'a.txt': 'one\ntwo\n', 'b.txt': 'one\nthree\n' } },
  ),
  ...ofTool('process', {
    'the list is empty': [{ action: 'list' }],
    'an unknown action': [{ action: 'dance' }],
    'poll without a session': [{ action: 'poll' }],
    'poll of an unknown session': [{ action: 'poll', session_id: 'proc_none' }],
    'kill of an unknown session': [{ action: 'kill', session_id: 'proc_none' }],
    'log of an unknown session': [{ action: 'log', session_id: 'proc_none' }],
    'close of an unknown session': [{ action: 'close', session_id: 'proc_none' }],
    'wait for an unknown session': [{ action: 'wait', session_id: 'proc_none', timeout: 1 }],
  }),
  {
    name: 'terminal: a background command and the list',
    steps: [call('terminal', { command: 'sleep 2', background: true }), call('process', { action: 'list' })],
  },
  {
    name: 'terminal: two at once',
    steps: [calls(['terminal', { command: 'echo a' }], ['terminal', { command: 'echo b' }])],
  },
  {
    name: 'terminal: with a read beside it',
    steps: [calls(['terminal', { command: 'echo a' }], ['read_file', { path: 'a.txt' }])],
    files: { 'a.txt': 'text\n' },
  },
];

export const commandScenarios = withDifferences(scenarios, {
  'terminal: an empty command': differences.unfit,
  'terminal: no command': differences.unfit,
  'terminal: a number for the command': differences.unfit,
  'terminal: a command that runs out of time': differences.outOfTime,
});
