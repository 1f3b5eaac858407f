/** What is at work for the conversation, as a tree that goes on while it is looked at. */
import { type Component, type Focusable, matchesKey, truncateToWidth } from '@earendil-works/pi-tui';
import type { AtWork } from '../../commands/background-tasks.ts';
import { agentFacts, timeSince } from '../../commands/session/sub-agents.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine } from '../render/terminal-text.ts';
import type { PanelPlace } from './chat-screen.ts';
import { agentLine } from './sub-agent-lines.ts';
import { branchOf, maxGoal } from './work-lines.ts';

/** Times go on. */
const everyMs = 1000;
const maxRows = 12;
/** What the marked one did last. */
const maxLast = 3;
const maxFacts = 200;

interface Row {
  readonly id: string;
  readonly text: string;
  readonly facts: string;
  /** It can be spoken to. */
  readonly hears: boolean;
}

/** The id of a sub-agent that somebody has something to say to; `undefined` when it was closed, or the signal aborted. */
export async function watchWork(
  screen: PanelPlace,
  colors: Colors,
  work: AtWork,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  const tree = new WorkTree(work, colors, resolve);
  const stopHearing = work.agents.listen((event) => {
    if (event.type !== 'results_due') tree.heard(event.agent.id, agentLine(event));
    screen.refresh();
  });
  const clock = setInterval(() => screen.refresh(), everyMs);
  const opened = screen.openPanel(tree, tree);
  try {
    return await promise;
  } finally {
    clearInterval(clock);
    stopHearing();
    signal.removeEventListener('abort', onAbort);
    opened.close();
  }
}

export class WorkTree implements Component, Focusable {
  focused = false;
  readonly #work: AtWork;
  readonly #colors: Colors;
  readonly #settle: (id: string | undefined) => void;
  readonly #last = new Map<string, readonly string[]>();
  #marked: string | undefined;

  constructor(work: AtWork, colors: Colors, settle: (id: string | undefined) => void) {
    this.#work = work;
    this.#colors = colors;
    this.#settle = settle;
  }

  heard(id: string, line: string | undefined): void {
    if (line !== undefined) this.#last.set(id, [...(this.#last.get(id) ?? []), line].slice(-maxLast));
  }

  invalidate(): void {
    // Nothing is cached.
  }

  render(width: number): string[] {
    const { bold, dim, yellow } = this.#colors;
    const rows = this.#rows();
    const fit = (text: string): string => truncateToWidth(` ${text}`, width, '…');
    const paused = this.#work.agents.paused ? ` · ${yellow('new sub-agents are paused')}` : '';
    const at = this.#at(rows);
    const first = Math.max(0, Math.min(at - Math.floor(maxRows / 2), rows.length - maxRows));
    const shown = rows.slice(first, first + maxRows);
    const more = rows.length - shown.length;
    const last = (this.#last.get(rows[at]?.id ?? '') ?? []).map((line) => dim(fit(`   ${line.trim()}`)));
    return [
      bold(fit(`At work: ${rows.length === 0 ? 'nothing' : rows.length}`)) + paused,
      ...shown.map(({ text, facts }, row) => {
        const isMarked = first + row === at;
        return fit(`${isMarked ? '❯' : ' '} ${isMarked ? bold(text) : text}  ${dim(oneLine(facts, maxFacts))}`);
      }),
      ...(more > 0 ? [dim(fit(`  … and ${more} more`))] : []),
      ...last,
      dim(fit('↑↓ choose · k stop · K stop all · s say something · p pause new ones · Esc close')),
    ];
  }

  handleInput(data: string): void {
    const { agents, tasks } = this.#work;
    const rows = this.#rows();
    const at = this.#at(rows);
    const row = rows[at];
    if (matchesKey(data, 'escape') || data === 'q' || matchesKey(data, 'enter')) return this.#settle(undefined);
    if (matchesKey(data, 'up')) this.#marked = rows[Math.max(0, at - 1)]?.id;
    else if (matchesKey(data, 'down')) this.#marked = rows[Math.min(rows.length - 1, at + 1)]?.id;
    else if (data === 'p') agents.paused = !agents.paused;
    else if (data === 'K') {
      agents.endAll();
      tasks.endAll();
    } else if (row === undefined) return;
    else if (data === 'k') {
      if (!agents.end(row.id)) tasks.end(row.id);
    } else if (data === 's' && row.hears) this.#settle(row.id);
  }

  /** The marked one, or the first where it has ended. */
  #at(rows: readonly Row[]): number {
    const at = rows.findIndex(({ id }) => id === this.#marked);
    return Math.max(0, at);
  }

  #rows(): readonly Row[] {
    const now = Date.now();
    const agents = this.#work.agents.list();
    const tasks = this.#work.tasks.list();
    return [
      ...agents.map((agent, at) => ({
        id: agent.id,
        text: branchOf(agent, agents.slice(at + 1)),
        facts: `${agentFacts(agent, now)}, ${agent.id}`,
        hears: true,
      })),
      ...tasks.map(({ id, number, prompt, startedAt, doing }) => ({
        id,
        text: `▶ ${number === undefined ? '' : `#${number} `}${oneLine(prompt, maxGoal)}`,
        facts: [timeSince(startedAt, now), ...(doing === undefined ? [] : [`in ${doing}`]), id].join(', '),
        hears: false,
      })),
    ];
  }
}
