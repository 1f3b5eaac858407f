/** The lines of a turn's tool calls, as they stand in one message of a chat. */
import type { ToolProgress } from './display-settings.ts';

export interface ProgressCall {
  readonly tool: string;
  readonly emoji: string;
  /** What the call does in plain words, or the tool's name. */
  readonly label: string;
  /** The argument that says most. */
  readonly preview: string;
}

/** `🔍 web_search: "weather in…"`; a preview is one line, cut at `previewLength` characters (0: not at all). */
export function progressLine({ emoji, label, preview }: ProgressCall, previewLength: number): string {
  const words = preview.replaceAll(/\s+/g, ' ').trim();
  const characters = Array.from(words);
  const isCut = previewLength > 0 && characters.length > previewLength;
  const shown = isCut ? `${characters.slice(0, previewLength).join('').trimEnd()}…` : words;
  const head = emoji === '' ? label : `${emoji} ${label}`;
  return shown === '' ? `${head}…` : `${head}: "${shown}"`;
}

/** Collects lines; the same line again is counted instead of repeated. */
export class ProgressLines {
  readonly #mode: ToolProgress;
  readonly #lines: { readonly text: string; readonly count: number }[] = [];
  #dropped = 0;
  #lastTool: string | undefined;

  constructor(mode: ToolProgress) {
    this.#mode = mode;
  }

  /** False when the mode does not show this call: `new` shows only a change of the tool. */
  add(call: ProgressCall, previewLength: number): boolean {
    if (this.#mode === 'off' || this.#mode === 'log') return false;
    const isSame = this.#lastTool === call.tool;
    this.#lastTool = call.tool;
    if (this.#mode === 'new' && isSame) return false;
    this.#push(progressLine(call, this.#mode === 'verbose' ? 0 : previewLength));
    return true;
  }

  get text(): string {
    const earlier = this.#dropped === 0 ? [] : [`… ${this.#dropped} earlier`];
    return [...earlier, ...this.#lines.map(({ text, count }) => (count === 1 ? text : `${text} (×${count})`))].join(
      '\n',
    );
  }

  #push(text: string): void {
    const last = this.#lines.at(-1);
    if (last?.text === text) this.#lines.pop();
    this.#lines.push({ text, count: last?.text === text ? last.count + 1 : 1 });
    if (this.#lines.length <= MAX_LINES) return;
    this.#dropped += this.#lines.shift()?.count ?? 0;
  }
}

/** A message that is edited holds no more; older lines are only counted. */
const MAX_LINES = 50;
