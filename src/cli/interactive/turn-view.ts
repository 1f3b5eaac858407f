/** Draws a running turn: reasoning, answer, tool lines, notices. */
import type { AgentEvent } from '../../agent/events.ts';
import type { SurfaceSettings } from '../../commands/command.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine, terminalText } from '../render/terminal-text.ts';
import { diffLines, finishedToolLine, runningToolLine, verboseLines } from '../render/tool-line.ts';
import type { LiveText } from './live-text.ts';
import type { Screen } from './screen.ts';
import { streamedText } from './streamed-text.ts';

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

type ToolStarted = Extract<AgentEvent, { type: 'tool_started' }>;
type ToolFinished = Extract<AgentEvent, { type: 'tool_finished' }>;

/** Makes a view for one turn. */
export function createTurnView({ screen, colors, settings, previewChars }: TurnViewOptions): TurnView {
  const between = (): void => screen.gap();
  const answer = streamedText((piece) => {
    section('text');
    return screen.markdown(piece);
  }, between);
  const reasoning = streamedText(({ text }) => {
    section('reasoning');
    const live = screen.print(colors.dim(text));
    return { set: (next) => live.set(colors.dim(next)), remove: () => live.remove() };
  }, between);
  const running = new Map<string, { call: ToolStarted; line: LiveText | undefined }>();
  let lastTool = '';
  let lastSection = '';

  /** An empty line between things of different kinds. */
  function section(kind: 'text' | 'reasoning' | 'tools' | 'status'): void {
    if (kind !== lastSection) screen.gap();
    lastSection = kind;
  }

  function startTool(call: ToolStarted): void {
    screen.setActivity(toolActivity(call));
    const hidden = settings.toolProgress === 'off' || (settings.toolProgress === 'new' && call.name === lastTool);
    lastTool = call.name;
    if (!hidden) section('tools');
    const line = hidden ? undefined : screen.print(runningToolLine(call, previewChars, colors));
    running.set(call.callId, { call, line });
  }

  function finishTool(event: ToolFinished): void {
    const entry = running.get(event.callId);
    running.delete(event.callId);
    const other = [...running.values()].at(-1)?.call;
    screen.setActivity(other === undefined ? 'thinking' : toolActivity(other));
    if (entry?.line === undefined) return;
    const more =
      settings.toolProgress === 'verbose' ? verboseLines(entry.call, event, colors) : diffLines(event, colors);
    entry.line.set([finishedToolLine(entry.call, event, previewChars, colors), ...more].join('\n'));
  }

  return {
    show(event) {
      switch (event.type) {
        case 'turn_started':
        case 'step_started':
          screen.setActivity('thinking');
          break;
        case 'reasoning_delta':
          if (settings.showReasoning) reasoning.add(event.text);
          break;
        case 'text_delta':
          reasoning.end();
          screen.setActivity('answering');
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
          screen.setActivity(`preparing ${oneLine(event.name, 50)}`);
          break;
        case 'tool_started':
          startTool(event);
          break;
        case 'tool_finished':
          finishTool(event);
          break;
        case 'tool_progress':
          screen.setActivity(`${event.name}: ${oneLine(event.text.trimEnd().split('\n').at(-1) ?? '', 60)}`);
          break;
        case 'status':
          section('status');
          screen.print(colors.yellow(`  ${terminalText(event.message)}`));
          break;
        case 'turn_finished':
          reasoning.end();
          answer.end();
          break;
        case 'usage':
          break;
      }
    },
  };
}

function toolActivity({ emoji, name, preview }: ToolStarted): string {
  return `${emoji} ${oneLine(name, 50)} ${oneLine(preview, 50)}`.trimEnd();
}
