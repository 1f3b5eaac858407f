/** `hermes chat -q`: one question with the work shown as plain lines. */
import type { AgentEvent } from '../../agent/events.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { TurnInput } from '../../agent/agent.ts';
import { textOf } from '../../llm/message.ts';
import type { Worker, WorkerEvent } from '../../worker/worker.ts';
import type { CliContext } from '../command.ts';
import { type Colors, colorsFor } from '../render/colors.ts';
import { terminalText } from '../render/terminal-text.ts';
import { cutBlockLines, finishedToolLine, type ToolProgressMode } from '../render/tool-line.ts';
import { exitSummary } from './exit-summary.ts';
import { restoredFolder } from './restored-folder.ts';
import { exitCodeOf, refusalTeller, runTurnToEnd } from './one-shot.ts';

/** Question, tool feed, answer, summary. Returns the exit code. */
export async function showTurn(
  context: CliContext,
  worker: Worker,
  { prompt, cwd }: { readonly prompt: TurnInput; readonly cwd: string },
  loaded: LoadedConfig,
): Promise<number> {
  const { session } = worker;
  const { stdout, stderr } = context.io;
  const colors = colorsFor(stdout, context.settings.terminal);
  const { display } = loaded.config;
  const write = (line: string): void => void stdout.write(`${line}\n`);
  const started = Date.now();
  for (const line of restoredFolder(cwd)) write(colors.dim(line));
  write(`${colors.bold('Query:')} ${terminalText(textOf(prompt.content))}\n`);
  const feed = createFeed(write, colors, {
    mode: display.tool_progress,
    previewChars: display.tool_preview_length,
    cwd,
  });
  const tellRefusal = refusalTeller(context.io);
  const result = await runTurnToEnd(worker, prompt, (event) => {
    feed(event);
    tellRefusal(event);
  });
  if (result.finalResponse !== null) write(`\n${terminalText(result.finalResponse)}`);
  if ('error' in result) stderr.write(`${colorsFor(stderr, context.settings.terminal).red(result.error)}\n`);
  const summary = exitSummary(session, undefined, Date.now() - started);
  if (summary.length > 0) write(`\n${summary.join('\n')}`);
  return exitCodeOf(result);
}

/** Prints a line for each finished call and each notice. */
function createFeed(
  write: (line: string) => void,
  colors: Colors,
  display: { readonly mode: ToolProgressMode; readonly previewChars: number; readonly cwd: string },
): (event: WorkerEvent) => void {
  const calls = new Map<string, Extract<AgentEvent, { type: 'tool_started' }>>();
  let lastTool = '';
  return (event) => {
    if (event.type === 'status') write(colors.yellow(terminalText(event.message)));
    if (event.type === 'tool_started') calls.set(event.callId, event);
    if (event.type !== 'tool_finished' || display.mode === 'off') return;
    const call = calls.get(event.callId);
    calls.delete(event.callId);
    if (call === undefined || (display.mode === 'new' && call.name === lastTool)) return;
    lastTool = call.name;
    write(finishedToolLine(call, event, display.previewChars, colors));
    for (const line of cutBlockLines(event, { colors, cwd: display.cwd })) write(line);
  };
}
