/** Asks the questions of a terminal one after another and prints the answers; run in a pane by the tests, `plain` or drawn. */
import { PlainScreen } from '../../../src/cli/interactive/plain-screen.ts';
import { Screen } from '../../../src/cli/interactive/screen.ts';
import { TerminalHuman } from '../../../src/cli/interactive/terminal-human.ts';
import { noLog } from '../../../src/lib/log.ts';
import { colorsFor } from '../../../src/cli/render/colors.ts';

const colors = colorsFor({ isTTY: false }, { color: true });
const drawn = (): Screen =>
  new Screen(
    {
      colors,
      prompt: () => '❯ ',
      history: [],
      statusBar: () => '',
      redrawLines: 200,
      refreshSeconds: 1,
      still: false,
      reflows: true,
      pasteLineBreaks: 5,
    },
    {
      onSubmit: () => undefined,
      onCtrlC: () => human.cancelOpenQuestion(),
      onCtrlQ: () => undefined,
      onCtrlD: () => undefined,
      onEscape: () => undefined,
      onOpen: () => undefined,
      keys: new Map(),
      onPaste: () => undefined,
    },
  );
const plain = (): PlainScreen =>
  new PlainScreen({
    stdin: process.stdin,
    stdout: process.stdout,
    prompt: () => '❯ ',
    onSubmit: () => undefined,
    onCtrlC: () => human.cancelOpenQuestion(),
    onEnd: () => undefined,
  });
const screen = process.argv[2] === 'plain' ? plain() : drawn();
process.on('SIGINT', () => human.cancelOpenQuestion());
const human = new TerminalHuman({
  screen,
  colors,
  approvalSeconds: 60,
  clarifySeconds: 60,
  confirmSeconds: 0.3,
  persistPrompts: true,
  log: noLog,
  paths: { userHome: '/home/u', homePath: '/home/u/.hermes', root: '/home/u/.hermes' },
});
const { signal } = new AbortController();
const ask = async (question: string, choices: readonly string[], until = signal): Promise<string> => {
  const answer = await human.clarify(question, choices, until);
  return 'said' in answer ? answer.said : answer.unanswered;
};
const answers: unknown[] = [];
screen.start();
const command = `echo one\necho two\necho three\necho four\necho five\necho six\necho seven\necho eight && rm -rf ${'x'.repeat(90)} end-of-command`;
const request = {
  tool: 'terminal',
  command,
  reasons: ['recursive delete'],
  keys: ['recursive delete'],
  mayRemember: false,
};
answers.push(await human.approve({ ...request, sources: ['the web page evil.example'] }, signal));
answers.push(await ask('Which colour?', ['red', 'green']));
answers.push(await ask('What name?', []));
answers.push((await human.secret('Password:', signal))?.length);
answers.push(await ask('Cancelled?', ['yes', 'no']));
// Two at once are asked one after the other.
answers.push(await Promise.all([ask('First?', ['a', 'b']), ask('Second?', ['c', 'd'])]));
answers.push(await ask('Too late?', ['yes'], AbortSignal.abort()));
// Nobody answers this one.
answers.push(await human.confirm('Lose it?'));
screen.stop();
process.stdout.write(`${JSON.stringify(answers)}\n`);
