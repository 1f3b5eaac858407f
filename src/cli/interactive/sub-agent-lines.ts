/** What sub-agents do, as lines above the input. */
import type { SurfaceSettings } from '../../commands/command.ts';
import type { SubAgent, SubAgentEvent } from '../../runtime/delegation/sub-agents.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine } from '../render/terminal-text.ts';
import type { ChatScreen } from './chat-screen.ts';

export interface SubAgentLinesOptions {
  readonly screen: Pick<ChatScreen, 'print' | 'plain'>;
  readonly colors: Colors;
  readonly settings: Pick<SurfaceSettings, 'toolProgress' | 'showReasoning'>;
}

const shown = { preview: 35, thought: 55, goal: 40 } as const;

/** The line of it, whatever the settings hide. */
export function agentLine(event: SubAgentEvent): string | undefined {
  return lineOf(event, { toolProgress: 'all', showReasoning: true }, false);
}

/** Draws one thing that a sub-agent did. */
export function showSubAgent(event: SubAgentEvent, { screen, colors, settings }: SubAgentLinesOptions): void {
  const line = lineOf(event, settings, screen.plain);
  if (line !== undefined) screen.print(colors.dim(line));
}

function lineOf(
  event: SubAgentEvent,
  { toolProgress, showReasoning }: SubAgentLinesOptions['settings'],
  plain: boolean,
): string | undefined {
  switch (event.type) {
    case 'subagent_tool': {
      if (toolProgress === 'off') return undefined;
      const emoji = plain ? '' : `${event.emoji} `;
      const preview = event.preview === '' ? '' : `  "${oneLine(event.preview, shown.preview)}"`;
      return `${branch(event.agent)}${emoji}${oneLine(event.name, shown.goal)}${preview}`;
    }
    case 'subagent_thought': {
      if (toolProgress === 'off' || !showReasoning) return undefined;
      return `${branch(event.agent)}${plain ? '' : '💭 '}"${oneLine(event.text, shown.thought)}"`;
    }
    case 'subagent_finished': {
      const { agent, status, seconds } = event;
      const mark = status === 'completed' ? '✓' : '✗';
      const why = status === 'completed' ? '' : `, ${status}`;
      const goal = oneLine(agent.goal, shown.goal);
      return `${indent(agent)}${mark} [${agent.index + 1}/${agent.count}] ${goal}  (${seconds.toFixed(1)}s${why})`;
    }
    case 'subagent_started':
    case 'results_due':
      return undefined;
  }
}

/** The number only where there are several. */
function branch(agent: SubAgent): string {
  return `${indent(agent)}${agent.count > 1 ? `[${agent.index + 1}] ` : ''}├─ `;
}

function indent({ depth }: SubAgent): string {
  return ' '.repeat(1 + 3 * (depth - 1));
}
