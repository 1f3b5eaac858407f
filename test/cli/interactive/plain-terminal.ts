/** A chat without a drawn screen, in memory. */
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlainScreen } from '../../../src/cli/interactive/plain-screen.ts';
import { TerminalHuman } from '../../../src/cli/interactive/terminal-human.ts';
import { colorsFor } from '../../../src/cli/render/colors.ts';
import { noLog } from '../../../src/lib/log.ts';

export function plainTerminal() {
  let written = '';
  const stdout = { columns: 80, write: (text: string) => (written += text) !== '' };
  const stdin = new PassThrough();
  const screen = new PlainScreen({
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    prompt: () => '❯ ',
    onSubmit: () => undefined,
    onCtrlC: () => undefined,
    onEnd: () => undefined,
  });
  /** The person at it, with so many seconds for an answer. */
  const human = (seconds: { readonly approvalSeconds: number; readonly clarifySeconds: number }): TerminalHuman =>
    new TerminalHuman({
      screen,
      colors: colorsFor({ isTTY: false }, { color: true }),
      ...seconds,
      persistPrompts: true,
      log: noLog,
      paths: { userHome: '/home/u', homePath: '/home/u/.hermes', root: '/home/u/.hermes' },
    });
  /** Types it as soon as the question stands. */
  const answer = async (question: RegExp, line: string): Promise<void> => {
    while (!question.test(written)) await sleep(5);
    written = '';
    stdin.write(`${line}\n`);
  };
  return { screen, human, answer, written: () => written };
}
