/** What stands above the input box as long as it matters: the agent's open steps, and messages that wait. */
import { truncateToWidth } from '@earendil-works/pi-tui';
import { textOf } from '../../llm/message.ts';
import type { SubAgent } from '../../runtime/delegation/sub-agents.ts';
import type { QueuedMessage } from '../../sessions/work-queue.ts';
import type { TodoItem } from '../../tools/todo/todo-list.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine } from '../render/terminal-text.ts';
import { workLines } from './work-lines.ts';

const maxRows = 4;
/** A lower window shows one line of each. */
const lowRows = 20;
const maxChars = 300;

export interface Room {
  readonly columns: number;
  readonly rows: number;
}

export interface Pending {
  readonly todos: readonly TodoItem[];
  readonly waiting: readonly QueuedMessage[];
  /** Sub-agents that are at work. */
  readonly agents: readonly SubAgent[];
  /** The line of the pictures that go along; empty = none. */
  readonly pictures: string;
  /** The line of voice mode; empty = none. */
  readonly voice: string;
}

/** The agent's steps, its sub-agents, what waits, pictures, and whether somebody listens. */
export function aboveInput({ todos, agents, waiting, pictures, voice }: Pending, room: Room, colors: Colors): string[] {
  return [
    ...todoLines(todos, room, colors),
    ...workLines(agents, room.rows < lowRows ? 1 : maxRows, Date.now(), colors).map((line) => fit(line, room)),
    ...queueLines(waiting, room, colors),
    ...(pictures === '' ? [] : [pictures]),
    ...(voice === '' ? [] : [fit(voice, room)]),
  ];
}

/** The step that is worked on and those that come next; nothing when none is open. */
export function todoLines(items: readonly TodoItem[], room: Room, colors: Colors): string[] {
  const counted = items.filter(({ status }) => status !== 'cancelled');
  const doing = counted.filter(({ status }) => status === 'in_progress');
  const open = [...doing, ...counted.filter(({ status }) => status === 'pending')];
  if (open.length === 0) return [];
  const done = counted.length - open.length;
  const shown = open.slice(0, room.rows < lowRows ? 1 : maxRows);
  const more = open.length - shown.length;
  return shown.map((item, at) => {
    const mark = item.status === 'in_progress' ? '▸' : '☐';
    const count = at === 0 ? colors.dim(`${done}/${counted.length} `) : ' '.repeat(`${done}/${counted.length} `.length);
    const text = oneLine(item.content, maxChars);
    const rest = at === shown.length - 1 && more > 0 ? colors.dim(` … and ${more} more`) : '';
    return fit(` ${count}${mark} ${item.status === 'in_progress' ? colors.bold(text) : text}${rest}`, room);
  });
}

/** The next messages, with the key that takes the newest back. */
export function queueLines(waiting: readonly QueuedMessage[], room: Room, colors: Colors): string[] {
  if (waiting.length === 0) return [];
  const shown = waiting.slice(0, room.rows < lowRows ? 1 : maxRows);
  const more = waiting.length - shown.length;
  return [
    ...shown.map(({ content }, at) =>
      fit(` ${colors.yellow('⧗')} ${at + 1} ${oneLine(textOf(content), maxChars)}`, room),
    ),
    fit(
      colors.dim(`   ${more > 0 ? `… and ${more} more · ` : ''}Alt+Up takes the last one back · /queue shows all`),
      room,
    ),
  ];
}

function fit(line: string, { columns }: Room): string {
  return truncateToWidth(line, columns, '…');
}
