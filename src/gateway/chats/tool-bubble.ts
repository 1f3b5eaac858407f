/** One line a tool call, in a message that is edited as they come. */
import type { AgentEvent } from '../../agent/events.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { ChatAddress, MessageEdits, PlatformAdapter } from '../platform/adapter.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { PlatformFacts } from '../platform/platform.ts';
import type { ChatDisplay } from '../display/display-settings.ts';
import { ProgressLines } from '../display/progress-lines.ts';
import type { Lane } from './lane.ts';
import { limitedMs, Paced, type Shown } from './paced.ts';

export interface ToolBubbleOptions {
  readonly adapter: PlatformAdapter;
  readonly edits: MessageEdits;
  readonly to: ChatAddress;
  readonly clock: AdapterClock;
  readonly facts: Pick<PlatformFacts, 'maxMessageLength'>;
  readonly signal: AbortSignal;
  readonly lane: Lane;
  readonly display: ChatDisplay;
  /** As for the preview. */
  readonly isBehind: () => boolean;
}

type Started = Pick<Extract<AgentEvent, { readonly type: 'tool_started' }>, 'name' | 'emoji' | 'preview'>;

const everyMs = 1500;

export class ToolBubble {
  readonly #options: ToolBubbleOptions;
  readonly #ids: string[] = [];
  #lines: ProgressLines;
  #dirty = false;
  #stopped = false;
  readonly #pace: Paced;

  constructor(options: ToolBubbleOptions) {
    this.#options = options;
    this.#lines = new ProgressLines(options.display.tool_progress);
    const { lane, clock, signal } = options;
    this.#pace = new Paced({ lane, clock, signal, show: () => this.#flush() });
  }

  add({ name, emoji, preview }: Started): void {
    const { display } = this.#options;
    const call = { tool: name, emoji, label: name, preview: escapeForDisplay(preview, { singleLine: true }) };
    if (this.#stopped || !this.#lines.add(call, display.tool_preview_length)) return;
    this.#dirty = true;
    this.#pace.ask();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Takes away what was shown, where the platform can. */
  async remove(): Promise<void> {
    const { edits, to, signal } = this.#options;
    for (const id of this.#ids.splice(0)) await edits.remove?.(to, id, signal);
  }

  async #flush(): Promise<Shown> {
    const { adapter, edits, to, signal, clock, display } = this.#options;
    if (!this.#dirty) return { pauseMs: 0 };
    // What is left out now stands in the next one.
    if (this.#ids.length === 0 && this.#options.isBehind()) return { pauseMs: 0 };
    this.#dirty = false;
    const separate = display.tool_progress_grouping === 'separate';
    const { text } = this.#lines;
    const message = { to, text, notify: false, idempotencyKey: `tools.${to.chatId}.${clock.now()}` };
    const id = separate ? undefined : this.#ids.at(-1);
    const result =
      id === undefined ? await adapter.send(message, signal) : await edits.edit(id, message, false, signal);
    if (!result.ok && result.kind === 'rate_limited') {
      // Shown when the time is over.
      this.#dirty = true;
      if (!this.#stopped) this.#pace.ask();
      return { pauseMs: everyMs, quietMs: result.retryAfterMs ?? limitedMs };
    }
    if (separate) this.#lines = new ProgressLines(display.tool_progress);
    if (!result.ok) this.#stopped = true;
    else if (id === undefined && result.messageId !== null) this.#ids.push(result.messageId);
    return { pauseMs: everyMs };
  }
}
