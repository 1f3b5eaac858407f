/** What the chat says when it opens. */
import type { About } from '../../commands/command.ts';
import type { Session } from '../../runtime/session.ts';
import type { Colors } from '../render/colors.ts';
import type { Skin } from '../skins/skin.ts';
import { oneLine } from '../render/terminal-text.ts';
import { asStarted } from '../started-as.ts';
import { compactCount, shortModelName } from './status-bar.ts';

export interface Welcome {
  readonly session: Session;
  readonly about: About;
  readonly colors: Colors;
  readonly skin: Pick<Skin, 'agentName' | 'welcome'>;
  /** Without the list of tools: for narrow terminals and `display.compact`. */
  readonly compact: boolean;
  /** Skills that hold for the whole conversation. */
  readonly activated: readonly string[];
}

/** Lines for the top of the chat. Warnings of the start are not repeated: they stand above it. */
export function welcomeLines({ session, about, colors, compact, skin, activated }: Welcome): string[] {
  const { route } = session.agent;
  const context = route.contextLength === undefined ? '' : ` · ${compactCount(route.contextLength)} context`;
  return [
    `${colors.bold(colors.cyan(`⚕ ${oneLine(skin.agentName, 60)}`))} ${colors.dim(`v${about.version}`)}`,
    `${oneLine(shortModelName(route.model), 28)} ${colors.dim(`(${oneLine(route.provider, 40)})${context}`)}`,
    colors.dim(`${oneLine(about.cwd, 200)} · Session: ${session.id}`),
    ...(about.profile === 'default' ? [] : [`Profile: ${about.profile}`]),
    ...(compact ? [] : [colors.dim(toolsLine(session))]),
    ...(session.yolo ? [colors.red('⚠ YOLO mode — all approval prompts bypassed')] : []),
    ...(session.demo ? [demoNotice(about, colors)] : []),
    colors.dim(oneLine(skin.welcome, 200)),
    ...(activated.length === 0 ? [] : [`Activated skills: ${oneLine(activated.join(', '), 200)}`]),
  ];
}

function toolsLine({ tools }: Session): string {
  const bySet = Map.groupBy(tools, (tool) => tool.toolset);
  const sets = [...bySet].map(([set, members]) => `${set} (${members.map((tool) => tool.name).join(', ')})`).sort();
  return `Tools: ${sets.length === 0 ? 'none' : sets.join(' · ')}`;
}

function demoNotice({ paths }: About, colors: Colors): string {
  const notice = 'Demo mode: an offline, rule-based stand-in answers. Set up a real model with: hermes setup';
  return colors.yellow(asStarted(notice, paths?.env ?? {}));
}
