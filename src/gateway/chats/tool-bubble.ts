/** One line a tool call, in a message that is edited as they come. */
import type { AgentEvent } from '../../agent/events.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { ChatAddress, MessageEdits, PlatformAdapter } from '../platform/adapter.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { PlatformFacts } from '../platform/platform.ts';
import type { ChatDisplay } from './display-settings.ts';
import type { Lane } from './lane.ts';

export interface ToolBubbleOptions {
  readonly adapter: PlatformAdapter;
  readonly edits: MessageEdits;
  readonly to: ChatAddress;
  readonly clock: AdapterClock;
  readonly facts: Pick<PlatformFacts, 'maxMessageLength'>;
  readonly signal: AbortSignal;
  readonly lane: Lane;
  readonly display: ChatDisplay;
}

type Started = Extract<AgentEvent, { readonly type: 'tool_started' }>;

const everyMs = 1500;
const maxLines = 40;

export class ToolBubble {
  readonly #options: ToolBubbleOptions;
  readonly #ids: string[] = [];
  #lines: { text: string; count: number }[] = [];
  #lastName = '';
  #dirty = false;
  #scheduled = false;
  #stopped = false;
  #nextAt = 0;

  constructor(options: ToolBubbleOptions) {
    this.#options = options;
  }

  add(event: Started): void {
    const { display } = this.#options;
    if (this.#stopped || (display.toolProgress === 'new' && event.name === this.#lastName)) return;
    this.#lastName = event.name;
    const text = this.#line(event);
    const last = this.#lines.at(-1);
    if (last?.text === text) last.count += 1;
    else this.#lines.push({ text, count: 1 });
    if (this.#lines.length > maxLines) this.#lines.shift();
    this.#dirty = true;
    if (this.#scheduled) return;
    this.#scheduled = true;
    void this.#later();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Takes away what was shown, where the platform can. */
  async remove(): Promise<void> {
    const { edits, to, signal } = this.#options;
    for (const id of this.#ids.splice(0)) await edits.remove?.(to, id, signal);
  }

  #line({ emoji, name, preview }: Started): string {
    const most = this.#options.display.toolPreviewLength;
    const shown = escapeForDisplay(preview).replace(/\s+/g, ' ');
    const cut = most > 0 && shown.length > most ? `${shown.slice(0, most - 1).toWellFormed()}…` : shown;
    return cut === '' ? `${emoji} ${name}` : `${emoji} ${name}: ${cut}`;
  }

  async #later(): Promise<void> {
    const { clock, signal, lane } = this.#options;
    try {
      const wait = this.#nextAt - clock.now();
      if (wait > 0) await clock.sleep(wait, signal);
    } catch {
      return;
    }
    lane.add(async () => {
      this.#scheduled = false;
      await this.#flush();
    });
  }

  async #flush(): Promise<void> {
    const { adapter, edits, to, signal, clock, display } = this.#options;
    if (!this.#dirty) return;
    this.#dirty = false;
    const separate = display.grouping === 'separate';
    const text = this.#lines.map(({ text: line, count }) => (count === 1 ? line : `${line} (×${count})`)).join('\n');
    const message = { to, text, notify: false, idempotencyKey: `tools.${to.chatId}.${clock.now()}` };
    const id = separate ? undefined : this.#ids.at(-1);
    const result =
      id === undefined ? await adapter.send(message, signal) : await edits.edit(id, message, false, signal);
    this.#nextAt = clock.now() + everyMs;
    if (separate) this.#lines = [];
    if (!result.ok) this.#stopped = result.kind !== 'rate_limited';
    else if (id === undefined && result.messageId !== null) this.#ids.push(result.messageId);
  }
}
