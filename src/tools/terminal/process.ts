/** `process`: looks after what `terminal` started in the background. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure, type ToolContext } from '../../agent/tool.ts';
import type { ProcessSnapshot } from '../../environments/process-registry.ts';
import { formatTime } from '../../lib/format-time.ts';
import { mergeSources, type Source } from '../../llm/source.ts';
import { harmless, type Judgement } from '../../safety/finding.ts';
import { exitNote } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { cleanText } from './clean-output.ts';
import { commandSources, judgeShellText } from './judge-command.ts';
import { terminalProblem } from './terminal.ts';

const parameters = z.object({
  action: z
    .enum(['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close'])
    .describe(
      'list: all processes; poll: state and newest output; log: output by lines; wait: until it ends; kill: end it; write: send data as it is; submit: send data and Enter; close: end its input',
    ),
  session_id: z.string().optional().describe('As terminal named it; needed for all but list'),
  data: z.string().optional().describe('For write and submit'),
  timeout: z.int().min(1).optional().describe('Seconds to wait, at most 180 (terminal.timeout)'),
  offset: z.int().min(0).default(0).describe('log: first line to show; 0 shows the last lines'),
  limit: z.int().min(1).default(200).describe('log: number of lines'),
});

type ProcessArgs = z.infer<typeof parameters>;
type Context = ToolContext<ToolServices>;

const previewChars = { list: 200, poll: 1000, ended: 2000, unfinished: 1000 } as const;

export const processTool = defineTool<ToolServices, typeof parameters>({
  name: 'process',
  toolset: 'terminal',
  description: 'Manage background processes that terminal started.',
  parameters,
  traits: { longRunning: true },
  display: {
    emoji: '⚙️',
    preview: (args) => [args.action, args.session_id].filter((part) => part !== undefined).join(' '),
    render: exitNote,
  },
  judge: judgeInput,
  sources: () => [{ from: 'tool', name: 'process' }],
  refusal: (message) => ({ status: 'error', error: message }),
  parallel: 'never',
  async execute(args, context) {
    const value = await answerTo(args, context);
    const { error } = value;
    // That a process had ended already is no failure of whoever wanted it ended.
    const exitCode = args.action === 'kill' ? undefined : value['exit_code'];
    const awaits = ['list', 'poll', 'log', 'wait'].includes(args.action) ? { awaits: true } : {};
    const details = typeof exitCode === 'number' ? { exitCode, ...awaits } : awaits;
    const failed = error !== undefined || (exitCode !== undefined && exitCode !== 0);
    return { ...(failed ? failure : answer)(value, details), sources: await sourcesOf(args, context.services) };
  },
});

/** Whatever is typed into a shell is a command; into other programs it is their business. */
async function judgeInput(
  { action, data, session_id: id = '' }: ProcessArgs,
  services: ToolServices,
): Promise<Judgement> {
  if ((action !== 'write' && action !== 'submit') || data === undefined) return harmless;
  const running = services.processes.list().find((found) => found.id === id);
  const { readsCommands } = await import('../../safety/commands/reads-commands.ts');
  if (running !== undefined && !readsCommands(running.command)) return harmless;
  const { typedInput } = services.state;
  const text = action === 'submit' ? `${data}\n` : data;
  const judgement = await judgeShellText(typedInput.preview(id, text), services.environment.cwd, services);
  return { ...judgement, onAllowed: () => typedInput.typed(id, text) };
}

/** What processes printed is as far from the person as the commands that they run. */
async function sourcesOf({ action, session_id: id }: ProcessArgs, services: ToolServices): Promise<readonly Source[]> {
  const shown = services.processes.list().filter((found) => action === 'list' || found.id === id);
  const sources = await Promise.all(shown.map(({ command, cwd }) => commandSources(command, cwd, services)));
  return mergeSources([{ from: 'tool', name: 'process' }], ...sources);
}

async function answerTo(args: ProcessArgs, context: Context): Promise<Record<string, unknown>> {
  const { processes } = context.services;
  if (args.action === 'list') return { processes: processes.list().map((found) => listed(found, context)) };
  const id = args.session_id;
  if (id === undefined) return { error: `session_id is required for ${args.action}.` };
  if (args.action === 'wait') return await wait(id, args, context);
  if (args.action === 'kill') return killed(id, await processes.kill(id), context);
  if (args.action === 'log') return log(id, args, context);
  if (args.action === 'write') return write(id, args.data, context);
  if (args.action === 'submit') return write(id, `${args.data ?? ''}\n`, context);
  if (args.action === 'close') return closed(id, processes.endInput(id));
  const found = processes.poll(id);
  return found === undefined ? notFound(id) : polled(found, context);
}

function listed(found: ProcessSnapshot, context: Context): Record<string, unknown> {
  return {
    session_id: found.id,
    command: context.services.redact(found.command).slice(0, previewChars.list),
    cwd: found.cwd,
    pid: found.pid,
    started_at: formatTime('%Y-%m-%dT%H:%M:%S', new Date(found.startedAt)),
    uptime_seconds: found.uptimeSeconds,
    status: found.status,
    output_preview: newest(found.id, previewChars.list, context),
    ...(found.watchPatterns === undefined ? {} : { watch_patterns: found.watchPatterns, watch_hit: found.watchHit }),
    ...(found.notifyOnComplete ? { notify_on_complete: true } : {}),
    ...(found.exitCode === undefined ? {} : { exit_code: found.exitCode }),
  };
}

function polled(found: ProcessSnapshot, context: Context): Record<string, unknown> {
  return {
    session_id: found.id,
    command: context.services.redact(found.command),
    status: found.status,
    pid: found.pid,
    uptime_seconds: found.uptimeSeconds,
    output_preview: newest(found.id, previewChars.poll, context),
    ...ending(found),
    ...(found.note === undefined ? {} : { note: found.note }),
  };
}

function log(id: string, args: ProcessArgs, context: Context): Record<string, unknown> {
  const { services } = context;
  const found = services.processes.list().find((one) => one.id === id);
  if (found === undefined) return notFound(id);
  const text = cleanText(services.processes.log(id), services);
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const end = args.offset + args.limit;
  const shown = args.offset === 0 ? lines.slice(-args.limit) : lines.slice(args.offset, end);
  // Whoever has read to the end needs no notice of it; whoever looks at the beginning does.
  if (found.status === 'exited' && (args.offset === 0 || end >= lines.length)) services.processes.poll(id);
  return {
    session_id: id,
    command: services.redact(found.command),
    status: found.status,
    output: shown.join('\n'),
    total_lines: lines.length,
    showing: `${shown.length} lines`,
    ...(found.exitCode === undefined ? {} : { exit_code: found.exitCode }),
  };
}

async function wait(id: string, args: ProcessArgs, context: Context): Promise<Record<string, unknown>> {
  const { processes, config } = context.services;
  const problem = terminalProblem(context.services);
  if (problem !== undefined) return { status: 'error', error: problem };
  const limit = config.terminal.timeout;
  const seconds = Math.min(args.timeout ?? limit, limit);
  const shortened =
    args.timeout !== undefined && args.timeout > limit
      ? `A wait of ${args.timeout} s was shortened to the configured limit of ${limit} s.`
      : undefined;
  const status = await processes.wait(id, { timeoutMs: seconds * 1000, signal: context.signal });
  const found = processes.poll(id);
  if (status === 'not_found' || found === undefined) return notFound(id);
  const interrupted = status === 'interrupted' ? ['The wait was interrupted by the user; the process goes on.'] : [];
  const told = [...interrupted, ...(found.note === undefined ? [] : [found.note])];
  const notes = {
    ...(told.length === 0 ? {} : { note: told.join(' ') }),
    ...(status === 'timeout' ? { timeout_note: `Waited for ${seconds} s; the process is still running.` } : {}),
    ...(shortened === undefined ? {} : { timeout_note: shortened }),
  };
  const output = newest(id, status === 'exited' ? previewChars.ended : previewChars.unfinished, context);
  return { status, command: context.services.redact(found.command), ...ending(found), output, ...notes };
}

function killed(
  id: string,
  outcome: 'killed' | 'already_exited' | 'still_running' | 'not_found',
  context: Context,
): Record<string, unknown> {
  const found = context.services.processes.poll(id);
  if (outcome === 'not_found' || found === undefined) return notFound(id);
  const output = newest(id, previewChars.ended, context);
  if (outcome === 'still_running') {
    const error =
      'It was asked to end (SIGTERM) and is still running; it belongs to another user, or may not be killed.';
    return { status: 'error', session_id: id, error, output };
  }
  const { exit_code: exitCode, ...how } = ending(found);
  const known = outcome === 'killed' ? {} : { command: context.services.redact(found.command), exit_code: exitCode };
  return { status: outcome, session_id: id, ...known, ...how, output };
}

function closed(id: string, outcome: 'ok' | 'exited' | 'closed' | 'not_found'): Record<string, unknown> {
  if (outcome === 'not_found') return notFound(id);
  if (outcome === 'exited') return hasEnded;
  if (outcome === 'closed') return takesNoInput;
  return { status: 'ok', session_id: id, message: 'The input of the process is closed.' };
}

function write(id: string, data: string | undefined, context: Context): Record<string, unknown> {
  if (data === undefined) return { status: 'error', error: 'data is required for write.' };
  const outcome = context.services.processes.write(id, data);
  if (outcome === 'not_found') return notFound(id);
  if (outcome === 'exited') return hasEnded;
  if (outcome === 'closed') return takesNoInput;
  return { status: 'ok', bytes_written: Buffer.byteLength(data) };
}

function notFound(id: string): Record<string, unknown> {
  return { status: 'not_found', error: `No process with ID ${id}` };
}

const hasEnded = { status: 'already_exited', error: 'The process has ended.' } as const;
const takesNoInput = {
  status: 'error',
  error: 'The process takes no input. What is to be answered has to be started with pty: true.',
} as const;

/** How it came to its end; nothing while it runs. */
function ending(found: ProcessSnapshot): {
  readonly exit_code?: number;
  readonly completion_reason?: string;
  readonly termination_source?: string;
} {
  if (found.exitCode === undefined) return {};
  return {
    exit_code: found.exitCode,
    completion_reason: found.completionReason ?? 'exited',
    termination_source: found.terminationSource ?? '',
  };
}

/** The newest output, cleaned before it is cut, so that no secret or sequence is cut in half and shown. */
function newest(id: string, chars: number, context: Context): string {
  const { services } = context;
  return cleanText(services.processes.log(id, chars * 4 + 4000), services).slice(-chars);
}
