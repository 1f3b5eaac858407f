/** A chat without a drawn screen, in memory. */
import { PassThrough } from 'node:stream';
import { PlainScreen } from '../../../src/cli/interactive/plain-screen.ts';
import { TerminalHuman } from '../../../src/cli/interactive/terminal-human.ts';
import { colorsFor } from '../../../src/cli/render/colors.ts';
import { noLog } from '../../../src/lib/log.ts';

export function plainTerminal() {
  let written = '';
  const stdout = { columns: 80, write: (text: string) => (written += text) !== '' };
  const screen = new PlainScreen({
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
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
  return { screen, human, written: () => written };
}
