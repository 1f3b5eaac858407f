/** What `/agents` says and does about sub-agents and background tasks, on every surface. */
import { counted } from '../../lib/counted.ts';
import type { SubAgent, SubAgents } from '../../runtime/delegation/sub-agents.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { BackgroundTask, BackgroundTasks } from '../background-tasks.ts';

export const agentsHint = '[kill <id>|all] [steer <id> <text>] [pause|resume]';

const usage = `Usage: /agents ${agentsHint}`;
const shownGoal = 80;

/** The answer to what stands behind the name; undefined: they are to be listed. */
export function changeAgents(agents: SubAgents, args: string, tasks?: BackgroundTasks): string | undefined {
  const [, verb = '', id = '', text = ''] = /^(\S*)\s*(\S*)\s*([^]*)$/.exec(args.trim()) ?? [];
  switch (verb.toLowerCase()) {
    case '':
    case 'list':
      return undefined;
    case 'kill':
    case 'stop':
      if (id === '') return usage;
      if (id === 'all') {
        const beside = tasks?.endAll() ?? 0;
        const also = beside === 0 ? '' : ` and ${counted(beside, 'background task')}`;
        return `Stopped: ${counted(agents.endAll(), 'sub-agent')}${also}.`;
      }
      return agents.end(id) || tasks?.end(id) === true ? `Stopped ${id}.` : missing(id);
    case 'steer':
      if (id === '' || text.trim() === '') return usage;
      return steerAgent(agents, id, text.trim());
    case 'pause':
      agents.paused = true;
      return 'New sub-agents are paused for this conversation; those at work go on. /agents resume ends that.';
    case 'resume':
      agents.paused = false;
      return 'New sub-agents may be started again.';
    default:
      return usage;
  }
}

/** Returns what came of it. */
export function steerAgent(agents: SubAgents, id: string, text: string): string {
  return agents.steer(id, text) ? `${id} reads it before its next request.` : missing(id);
}

/** One line for each that is at work. `now` in milliseconds since 1970. */
export function agentLines(agents: SubAgents, now: number): readonly string[] {
  const paused = agents.paused ? ['New sub-agents are paused: /agents resume'] : [];
  const list = agents.list();
  if (list.length === 0) return [...paused, 'Sub-agents: none'];
  return [...paused, 'Sub-agents:', ...list.map((agent) => lineOf(agent, now))];
}

/** One line for each background task that is at work; none where there is none. */
export function taskLines(tasks: BackgroundTasks, now: number): readonly string[] {
  const list = tasks.list();
  return list.length === 0 ? [] : ['Background tasks:', ...list.map((task) => taskLine(task, now))];
}

function taskLine({ id, number, prompt, startedAt, doing }: BackgroundTask, now: number): string {
  const facts = [timeSince(startedAt, now), ...(doing === undefined ? [] : [`in ${doing}`])];
  const shown = escapeForDisplay(prompt.slice(0, shownGoal).toWellFormed(), { singleLine: true });
  return `  ${number === undefined ? '' : `#${number} `}${id} (${facts.join(', ')}): ${shown}`;
}

export function timeSince(startedAt: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - startedAt) / 1000));
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function lineOf(agent: SubAgent, now: number): string {
  const { id, index, count, depth, goal } = agent;
  const place = count > 1 ? ` [${index + 1}/${count}]` : '';
  const shown = escapeForDisplay(goal.slice(0, shownGoal).toWellFormed(), { singleLine: true });
  return `${'  '.repeat(depth)}${id}${place} (${agentFacts(agent, now)}): ${shown}`;
}

/** How long it is at work, with what, and what it took. */
export function agentFacts(agent: SubAgent, now: number): string {
  const { startedAt, toolCalls, tokens, usd, doing, model } = agent;
  const facts = [
    timeSince(startedAt, now),
    model,
    counted(toolCalls, 'call'),
    `${tokens.toLocaleString('en-US')} tokens`,
    ...(usd > 0 ? [`$${usd.toFixed(4)}`] : []),
    ...(doing === '' ? [] : [`in ${doing}`]),
  ];
  return facts.filter((fact) => fact !== '').join(', ');
}

function missing(id: string): string {
  return `Nothing called ${id} is at work. /agents lists what is.`;
}
