/** Shows a turn in its chat while it runs: typing, the answer as it is written, what the tools do. */
import type { AgentEvent } from '../../agent/events.ts';
import type { Log } from '../../lib/log.ts';
import type { ChatAddress, PlatformAdapter, Typing } from '../platform/adapter.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { PlatformFacts } from '../platform/platform.ts';
import { sendText } from '../delivery/send-text.ts';
import type { ShownPreview } from '../../sessions/chat-inbox.ts';
import type { ChatDisplay } from '../display/display-settings.ts';
import type { StreamingSettings } from '../display/streaming.ts';
import { Lane } from './lane.ts';
import { Preview } from './preview.ts';
import { ToolBubble } from './tool-bubble.ts';
import { over } from '../../lib/over.ts';

/** How a view stands to what is kept of its turn and its chat. */
export interface KeptView {
  /** What an earlier process has shown of the answer. */
  readonly before: ShownPreview;
  /** What is shown of it, before it is. */
  readonly onPreview: (shown: ShownPreview) => Promise<void>;
  /** Earlier replies of the chat are still to be sent: until they are, nothing new is shown. */
  readonly isBehind: () => boolean;
  /** Says something behind them. */
  readonly sayBehind: (text: string) => Promise<void>;
}

export interface TurnViewOptions extends KeptView {
  readonly to: ChatAddress;
  /** Undefined while the platform is not connected: then nothing is shown, and the answer waits in the outbox. */
  readonly shown: ShownIn | undefined;
  readonly streaming: StreamingSettings;
  readonly typing: boolean;
  readonly clock: AdapterClock;
  readonly log: Log;
}

interface ShownIn {
  readonly adapter: PlatformAdapter;
  readonly facts: PlatformFacts;
  readonly display: ChatDisplay;
}

interface Ending {
  readonly failed: boolean;
  /** No answer takes the place of what is shown of one. */
  readonly stays?: boolean;
}

/** Nothing that it does is needed: whatever fails is logged, and the answer is sent all the same. */
export class TurnView {
  readonly #options: TurnViewOptions;
  readonly #lane: Lane;
  readonly #stop = new AbortController();
  readonly #preview: Preview | undefined;
  readonly #bubble: ToolBubble | undefined;
  #text = '';
  #interims = 0;

  constructor(options: TurnViewOptions) {
    this.#options = options;
    this.#lane = new Lane(options.log);
    const { shown, to, clock, isBehind } = options;
    const signal = this.#stop.signal;
    if (shown === undefined) return;
    const { adapter, display, facts } = shown;
    if (adapter.edits !== undefined) {
      const place = { adapter, edits: adapter.edits, to, clock, facts, signal, lane: this.#lane, isBehind };
      if (display.streaming) {
        const { streaming, onPreview, before } = options;
        this.#preview = new Preview({ ...place, streaming, shown: before, onPreview });
      }
      if (!['off', 'log'].includes(display.tool_progress)) this.#bubble = new ToolBubble({ ...place, display });
    }
    if (options.typing && adapter.typing !== undefined) void this.#type(adapter.typing);
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case 'text_delta':
        this.#text += event.text;
        this.#preview?.write(this.#text);
        return;
      case 'text_reset':
        this.#text = '';
        this.#preview?.write('');
        return;
      case 'tool_started':
        this.#interim();
        this.#bubble?.add(event);
        return;
      default:
    }
  }

  /** What sub-agents of the turn have called. */
  showSubAgents(names: readonly string[]): void {
    this.#bubble?.add({ name: 'delegate_task', emoji: '🔀', preview: names.join(', ') });
  }

  /** Ends all that is shown; returns what the final answer takes the place of. */
  async finish({ failed, stays = false }: Ending): Promise<ShownPreview> {
    this.#preview?.stop();
    if (stays) this.#preview?.leave();
    this.#bubble?.stop();
    await this.#lane.empty();
    const { shown, to } = this.#options;
    if (shown?.display.cleanup_progress === true && !failed) await this.#bubble?.remove();
    this.#stop.abort(over);
    await shown?.adapter.typing?.hide?.(to, AbortSignal.timeout(hideMs)).catch(() => undefined);
    return this.#preview?.shown ?? this.#options.before;
  }

  /** What was said before a tool call is a message of its own. */
  #interim(): void {
    const text = this.#text.trim();
    this.#text = '';
    const { shown } = this.#options;
    if (text === '' || shown === undefined) return;
    this.#interims += 1;
    const say = this.#sayer(shown);
    if (this.#preview === undefined) this.#lane.add(() => say(text));
    else this.#preview.settle(text, say);
  }

  #sayer({ adapter, facts, display }: ShownIn): (text: string) => Promise<void> {
    const { to, clock, isBehind, sayBehind } = this.#options;
    const key = `${to.chatId}.${clock.now()}.${this.#interims}`;
    const signal = this.#stop.signal;
    return async (text) => {
      if (!display.interim_assistant_messages) return;
      if (isBehind()) return await sayBehind(text);
      await sendText({ to, text, key, notify: false }, { adapter, facts, replyToMode: 'off', clock, signal });
    };
  }

  async #type(typing: Typing): Promise<void> {
    const { to, clock } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await typing.show(to, signal);
        await clock.sleep(typing.everyMs, signal);
      } catch {
        // It is a courtesy; the next one may come through.
        if (!signal.aborted) await clock.sleep(typing.everyMs, signal).catch(() => undefined);
      }
    }
  }
}

const hideMs = 5000;
