/** Sub-agents that are at work, as branches of a tree. */
import { timeSince } from '../../commands/session/sub-agents.ts';
import type { SubAgent } from '../../runtime/delegation/sub-agents.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine } from '../render/terminal-text.ts';

/** Characters of a goal. */
export const maxGoal = 80;

/** One of them; `after` are those that follow in the list. */
export function branchOf({ index, count, depth, goal }: SubAgent, after: readonly SubAgent[]): string {
  const next = after.find((other) => other.depth <= depth);
  const branch = next?.depth === depth ? '├─' : '└─';
  const place = count > 1 ? `[${index + 1}/${count}] ` : '';
  return `${'│  '.repeat(depth - 1)}${branch} ${place}${oneLine(goal, maxGoal)}`;
}

/** One line above the input for each, as far as there is room; none where none is at work. */
export function workLines(agents: readonly SubAgent[], most: number, now: number, colors: Colors): string[] {
  const shown = agents.slice(0, most);
  const more = agents.length - shown.length;
  return shown.map((agent, at) => {
    const { doing, startedAt } = agent;
    const facts = [timeSince(startedAt, now), ...(doing === '' ? [] : [`in ${oneLine(doing, 40)}`])].join(', ');
    const rest = at === shown.length - 1 && more > 0 ? ` … and ${more} more: /agents` : '';
    return ` ${branchOf(agent, agents.slice(at + 1))}  ${colors.dim(`${facts}${rest}`)}`;
  });
}
