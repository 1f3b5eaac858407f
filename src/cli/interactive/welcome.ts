/** What the chat says when it opens. */
import type { About } from '../../commands/command.ts';
import type { Log } from '../../lib/log.ts';
import type { Session } from '../../runtime/session.ts';
import type { Skill } from '../../skills/skill.ts';
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
  readonly skills: readonly Skill[];
  /** Skills that hold for the whole conversation. */
  readonly activated: readonly string[];
}

/** Lines for the top of the chat. Warnings of the start are not repeated: they stand above it. */
export function welcomeLines({ session, about, colors, compact, skin, activated, skills }: Welcome): string[] {
  const { route } = session.agent;
  const context = route.contextLength === undefined ? '' : ` · ${compactCount(route.contextLength)} context`;
  return [
    `${colors.bold(colors.cyan(`⚕ ${oneLine(skin.agentName, 60)}`))} ${colors.dim(`v${about.version}`)}`,
    `${oneLine(shortModelName(route.model), 28)} ${colors.dim(`(${oneLine(route.provider, 40)})${context}`)}`,
    colors.dim(`${oneLine(about.cwd, 200)} · Session: ${session.id}`),
    ...(about.profile === 'default' ? [] : [`Profile: ${about.profile}`]),
    ...(compact ? [] : [colors.dim(toolsLine(session)), ...skillsLines(skills).map(colors.dim)]),
    ...(session.yolo ? [colors.red('⚠ YOLO mode — all approval prompts bypassed')] : []),
    ...(session.demo ? [demoNotice(about, colors)] : []),
    colors.dim(oneLine(skin.welcome, 200)),
    ...(activated.length === 0 ? [] : [`Activated skills: ${oneLine(activated.join(', '), 200)}`]),
  ];
}

/** What a session can load; skills that cannot be read are no reason not to begin. */
export async function skillsToShow({ knowledge }: Session, log: Log): Promise<readonly Skill[]> {
  try {
    return (await knowledge.skills?.list()) ?? [];
  } catch (error) {
    log.warning('skills could not be listed', error);
    return [];
  }
}

const maxCategories = 10;
const maxNames = 8;
/** Characters of the names of one category. */
const maxNamesWidth = 45;

/** By category; none where there are no skills. */
function skillsLines(skills: readonly Skill[]): string[] {
  if (skills.length === 0) return [];
  const categories = [...Map.groupBy(skills, ({ category }) => category)].sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = categories
    .slice(0, maxCategories)
    .map(([name, members]) => `${oneLine(name, 40)} (${namesOf(members)})`);
  const more = categories.length - shown.length;
  if (more > 0) shown.push(`${more} more categories: /skills`);
  return [`Skills: ${shown.join(' · ')}`];
}

function namesOf(skills: readonly Skill[]): string {
  const names = skills.map(({ name }) => oneLine(name, 40));
  let count = 0;
  let width = 0;
  for (const name of names.slice(0, maxNames)) {
    width += name.length + 2;
    if (count > 0 && width > maxNamesWidth) break;
    count += 1;
  }
  const rest = names.length - count;
  return `${names.slice(0, count).join(', ')}${rest === 0 ? '' : `, +${rest} more`}`;
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
