/** `/plugins`: which plug-ins there are, and what the loaded ones have brought. */
import { counted } from '../../lib/counted.ts';
import type { PluginReport } from '../../runtime/session.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { ListedCommand, TerminalCommand } from '../command.ts';
import { leftOut } from '../left-out.ts';

export const plugins: TerminalCommand = {
  name: 'plugins',
  category: 'Tools & Skills',
  description: 'list the plug-ins, and what they have brought',
  surface: 'cli',
  whileBusy: true,
  async run({ session, ui, commands }) {
    const all = await session.knowledge.plugins();
    if (all.length === 0) {
      ui.print('There are no plug-ins. Install one with: hermes plugins install owner/repo');
      return;
    }
    ui.print(
      [
        ...all.flatMap((report) => [line(report), ...notes(report, commands)]),
        'Change them with: hermes plugins enable NAME, or disable',
      ].join('\n'),
    );
  },
};

function line({ name, version, status, registered, problem }: PluginReport): string {
  const title = `${name}${version === '' ? '' : ` ${version}`}`;
  const text =
    registered === undefined
      ? `${problem === undefined ? '○' : '✗'} ${title}  ${problem ?? status}`
      : `✓ ${title}  ${whatOf(registered)}`;
  return escapeForDisplay(text, { singleLine: true });
}

function notes({ name, registered }: PluginReport, commands: readonly ListedCommand[]): readonly string[] {
  if (registered === undefined) return [];
  return leftOut({ plugin: name, registered }, commands).map(
    (note) => `  ⚠ ${escapeForDisplay(note, { singleLine: true })}`,
  );
}

function whatOf({ tools, hooks, commands }: NonNullable<PluginReport['registered']>): string {
  return [counted(tools, 'tool'), counted(hooks, 'hook'), counted(commands, 'command')].join(', ');
}
