/** Draws a running turn: reasoning, answer, tool lines, notices. */
import type { AgentEvent } from '../../agent/events.ts';
import type { SurfaceSettings } from '../../commands/command.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine, terminalText } from '../render/terminal-text.ts';
import { diffLines, finishedToolLine, runningToolLine, verboseLines } from '../render/tool-line.ts';
import type { LiveText, Screen } from './screen.ts';
import { stableLength } from './stable-markdown.ts';

/** Redraws of streamed text are this far apart, in milliseconds. */
const drawEveryMs = 33;

export interface TurnView {
  show(event: AgentEvent): void;
}

export interface TurnViewOptions {
  readonly screen: Screen;
  readonly colors: Colors;
  readonly settings: SurfaceSettings;
  /** `display.tool_preview_length`; 0 = as much as fits. */
  readonly previewChars: number;
}

/** Makes a view for one turn. */
export function createTurnView({ screen, colors, settings, previewChars }: TurnViewOptions): TurnView {
  const answer = streamedText((text) => screen.markdown(text));
  const reasoning = streamedText((text) => {
    const live = screen.print(colors.dim(text));
    return { set: (next) => live.set(colors.dim(next)), remove: () => live.remove() };
  });
  const running = new Map<
    string,
    { call: Extract<AgentEvent, { type: 'tool_started' }>; line: LiveText | undefined }
  >();
  let lastTool = '';

  function startTool(call: Extract<AgentEvent, { type: 'tool_started' }>): void {
    screen.setSpinner(`${call.emoji} ${call.name} ${oneLine(call.preview, 50)}`);
    const hidden = settings.toolProgress === 'off' || (settings.toolProgress === 'new' && call.name === lastTool);
    lastTool = call.name;
    running.set(call.callId, {
      call,
      line: hidden ? undefined : screen.print(runningToolLine(call, previewChars, colors)),
    });
  }

  function finishTool(event: Extract<AgentEvent, { type: 'tool_finished' }>): void {
    const entry = running.get(event.callId);
    running.delete(event.callId);
    screen.setSpinner('thinking');
    if (entry?.line === undefined) return;
    const more =
      settings.toolProgress === 'verbose' ? verboseLines(entry.call, event, colors) : diffLines(event, colors);
    entry.line.set([finishedToolLine(entry.call, event, previewChars, colors), ...more].join('\n'));
  }

  return {
    show(event) {
      switch (event.type) {
        case 'step_started':
          screen.setSpinner('thinking');
          break;
        case 'reasoning_delta':
          if (settings.showReasoning) reasoning.add(event.text);
          break;
        case 'text_delta':
          reasoning.end();
          screen.setSpinner(undefined);
          answer.add(event.text);
          break;
        case 'text_end':
          reasoning.end();
          answer.end();
          break;
        case 'text_reset':
          reasoning.reset();
          answer.reset();
          break;
        case 'tool_generating':
          screen.setSpinner(`preparing ${event.name}`);
          break;
        case 'tool_started':
          startTool(event);
          break;
        case 'tool_finished':
          finishTool(event);
          break;
        case 'tool_progress':
          screen.setSpinner(`${event.name}: ${oneLine(event.text.trimEnd().split('\n').at(-1) ?? '', 60)}`);
          break;
        case 'status':
          screen.print(colors.yellow(`  ${terminalText(event.message)}`));
          break;
        case 'turn_finished':
          reasoning.end();
          answer.end();
          screen.setSpinner(undefined);
          break;
        case 'turn_started':
        case 'usage':
          break;
      }
    },
  };
}

interface StreamedText {
  add(text: string): void;
  /** Draws what is left and starts over with the next `add`. */
  end(): void;
  /** Takes everything since the last `end` off the screen. */
  reset(): void;
}

/** Draws at most thirty times a second, and parses only the part that may still change. */
function streamedText(open: (text: string) => LiveText): StreamedText {
  let pending = '';
  let tail: LiveText | undefined;
  let shown: LiveText[] = [];
  let timer: NodeJS.Timeout | undefined;

  function draw(): void {
    timer = undefined;
    const stable = stableLength(pending);
    if (stable > 0) {
      place(pending.slice(0, stable).trimEnd());
      tail = undefined;
      pending = pending.slice(stable);
    }
    if (pending.trim() !== '') place(pending);
  }

  function place(text: string): void {
    const safe = terminalText(text);
    if (tail === undefined) {
      tail = open(safe);
      shown.push(tail);
    } else tail.set(safe);
  }

  function forget(): void {
    clearTimeout(timer);
    timer = undefined;
    pending = '';
    tail = undefined;
    shown = [];
  }

  return {
    add(text) {
      pending += text;
      timer ??= setTimeout(draw, drawEveryMs);
    },
    end() {
      if (timer !== undefined) {
        clearTimeout(timer);
        draw();
      }
      forget();
    },
    reset() {
      for (const live of shown) live.remove();
      forget();
    },
  };
}
