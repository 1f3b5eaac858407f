/** Draws a running turn: reasoning, answer, tool lines, notices. */
import type { AgentEvent } from '../../agent/events.ts';
import type { SurfaceSettings } from '../../commands/command.ts';
import { formatTime } from '../../lib/format-time.ts';
import type { Colors } from '../render/colors.ts';
import { stripMarkdown } from '../render/strip-markdown.ts';
import { oneLine, terminalText } from '../render/terminal-text.ts';
import type { Skin } from '../skins/skin.ts';
import type { FoldedCards } from './folded-cards.ts';
import type { ChatScreen } from './chat-screen.ts';
import { PlainAnswer } from './plain-answer.ts';
import { StreamedText } from './streamed-text.ts';
import { ToolCard, type ToolFinished, type ToolStarted } from './tool-card.ts';

export interface TurnViewOptions {
  readonly screen: ChatScreen;
  readonly colors: Colors;
  readonly settings: SurfaceSettings;
  readonly skin: () => Pick<Skin, 'toolPrefix' | 'toolEmojis'>;
  /** `display.tool_preview_length`; 0 = as much as fits. */
  readonly previewChars: number;
  readonly inlineDiffs: boolean;
  /** `display.streaming`: texts are drawn while they arrive. */
  readonly streaming: boolean;
  /** `display.final_response_markdown` */
  readonly markdown: 'render' | 'strip' | 'raw';
  /** Where paths are shown from. */
  readonly cwd: string;
  /** Takes the finished calls, so that they can be opened. */
  readonly cards: FoldedCards;
}

const maxThoughtLines = 10;

/** Draws one turn. */
export class TurnView {
  readonly #options: TurnViewOptions;
  readonly #answer: StreamedText | PlainAnswer;
  readonly #reasoning: StreamedText;
  readonly #running = new Map<string, { call: ToolStarted; card: ToolCard | undefined }>();
  /** What the model thinks, where that is not drawn while it arrives. */
  #thoughts = '';
  #lastTool = '';
  #lastSection = '';

  constructor(options: TurnViewOptions) {
    const { screen, colors, streaming, markdown } = options;
    const between = (): void => screen.gap();
    this.#options = options;
    if (screen.plain) this.#answer = new PlainAnswer(screen, markdown === 'raw', () => this.#section('text'));
    else
      this.#answer = new StreamedText({
        between,
        live: streaming,
        asItIs: markdown === 'raw',
        open: (piece) => {
          this.#section('text');
          if (markdown === 'render') return screen.markdown(piece);
          const shown = (text: string): string => (markdown === 'strip' ? stripMarkdown(text) : text);
          const live = screen.print(shown(piece.text));
          return { ...live, set: (next) => live.set(shown(next)) };
        },
      });
    this.#reasoning = new StreamedText({
      between,
      asItIs: true,
      open: ({ text }) => {
        this.#section('reasoning');
        const live = screen.print(colors.dim(text));
        return { ...live, set: (next) => live.set(colors.dim(next)) };
      },
    });
  }

  show(event: AgentEvent): void {
    const { screen, colors, settings } = this.#options;
    switch (event.type) {
      case 'turn_started':
      case 'step_started':
        return screen.setActivity('thinking');
      case 'reasoning_delta':
        if (!settings.showReasoning) return;
        if (this.#options.streaming && !this.#options.screen.plain) this.#reasoning.add(event.text);
        else this.#thoughts += event.text;
        return;
      case 'text_delta':
        this.#reasoning.end();
        screen.setActivity('answering');
        return this.#answer.add(event.text);
      case 'text_end':
      case 'turn_finished':
        this.#showThoughts();
        this.#reasoning.end();
        return this.#answer.end();
      case 'text_reset':
        this.#thoughts = '';
        this.#reasoning.reset();
        return this.#answer.reset();
      case 'tool_generating':
        return screen.setActivity(`preparing ${oneLine(event.name, 50)}`);
      case 'tool_started':
        return this.#startTool(event);
      case 'tool_finished':
        return this.#finishTool(event);
      case 'tool_progress':
        return this.#showProgress(event.callId, event.name, event.text);
      case 'status':
        this.#section('status');
        screen.print(colors.yellow(`  ${terminalText(event.message)}`));
        return;
      default:
      // Questions are asked by the human; the rest is for the record.
    }
  }

  /** Ten lines of them are enough to see where they lead. */
  #showThoughts(): void {
    const lines = terminalText(this.#thoughts).trim().split('\n');
    this.#thoughts = '';
    if (lines.join('') === '') return;
    const max = this.#options.settings.fullReasoning ? Infinity : maxThoughtLines;
    const hidden = Math.max(0, lines.length - max);
    const note = hidden === 0 ? [] : [`… ${hidden} more lines; /reasoning full shows them`];
    this.#section('reasoning');
    this.#options.screen.print(this.#options.colors.dim([...lines.slice(0, max), ...note].join('\n')));
  }

  /** An empty line between things of different kinds. */
  #section(kind: 'text' | 'reasoning' | 'tools' | 'status'): void {
    const { screen, colors, settings } = this.#options;
    if (kind === this.#lastSection) return;
    screen.gap();
    this.#lastSection = kind;
    if (kind !== 'text' || !settings.timestamps) return;
    screen.print(colors.dim(`⚕ ${terminalText(formatTime(settings.timestampFormat, new Date()))}`));
  }

  #startTool(started: ToolStarted): void {
    const { toolEmojis, toolPrefix: prefix } = this.#options.skin();
    const emoji = this.#options.screen.plain ? '' : (toolEmojis[started.name] ?? started.emoji);
    const call = { ...started, emoji };
    const { screen, colors, settings, previewChars, inlineDiffs, cwd } = this.#options;
    screen.setActivity(toolActivity(call));
    const repeated = settings.toolProgress === 'new' && call.name === this.#lastTool;
    const hidden = settings.toolProgress === 'off' || repeated;
    this.#lastTool = call.name;
    if (!hidden) this.#section('tools');
    const style = {
      colors,
      previewChars,
      cwd,
      prefix: screen.plain ? '' : prefix,
      diffs: inlineDiffs,
      verbose: settings.toolProgress === 'verbose',
    };
    this.#running.set(call.callId, { call, card: hidden ? undefined : new ToolCard(call, screen, style) });
  }

  #showProgress(callId: string, name: string, text: string): void {
    const card = this.#running.get(callId)?.card;
    if (card !== undefined) return card.progress(text);
    this.#options.screen.setActivity(`${name}: ${oneLine(text.trimEnd().split('\n').at(-1) ?? '', 60)}`);
  }

  #finishTool(event: ToolFinished): void {
    const { screen, cards } = this.#options;
    const entry = this.#running.get(event.callId);
    this.#running.delete(event.callId);
    const other = [...this.#running.values()].at(-1)?.call;
    screen.setActivity(other === undefined ? 'thinking' : toolActivity(other));
    entry?.card?.finish(event);
    if (entry?.card !== undefined) cards.add(entry.card);
  }
}

function toolActivity({ emoji, name, preview }: ToolStarted): string {
  return `${emoji} ${oneLine(name, 50)} ${oneLine(preview, 50)}`.trimEnd();
}
