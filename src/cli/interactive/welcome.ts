/** What the chat says when it opens. */
import type { CommandContext } from '../../commands/command.ts';
import type { Runtime, Session } from '../../runtime/runtime.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine } from '../render/terminal-text.ts';
import { compactCount, shortModelName } from './status-bar.ts';

export function welcomeLines(
  session: Session,
  runtime: Runtime,
  about: CommandContext['about'],
  colors: Colors,
): string[] {
  const { route } = session.agent;
  const context = route.contextLength === undefined ? '' : ` · ${compactCount(route.contextLength)} context`;
  const bySet = Map.groupBy(session.tools, (tool) => tool.toolset);
  const tools = [...bySet].map(([set, members]) => `${set} (${members.map((tool) => tool.name).join(', ')})`).sort();
  return [
    `${colors.bold(colors.cyan('⚕ Hermes Agent'))} ${colors.dim(`v${about.version}`)}`,
    `${oneLine(shortModelName(route.model), 28)} ${colors.dim(`(${route.provider})${context}`)}`,
    colors.dim(`${about.cwd} · Session: ${session.id}`),
    ...(about.profile === 'default' ? [] : [`Profile: ${about.profile}`]),
    colors.dim(`Tools: ${tools.length === 0 ? 'none' : tools.join(' · ')}`),
    ...(session.yolo ? [colors.red('⚠ YOLO mode — all approval prompts bypassed')] : []),
    ...(runtime.demo ? [demoNotice(colors)] : []),
    ...runtime.warnings.map((warning) => colors.yellow(warning)),
    colors.dim('Type a message, or /help for commands.'),
    '',
  ];
}

function demoNotice(colors: Colors): string {
  return colors.yellow('Demo mode: an offline, rule-based stand-in answers. Set up a real model with: hermes setup');
}
