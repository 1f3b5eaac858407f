/** `process`: looks after what `terminal` started in the background. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure, type ToolContext } from '../../agent/tool.ts';
import type { ProcessSnapshot } from '../../environments/process-registry.ts';
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

const previewChars = { list: 200, poll: 1000, exited: 2000, unfinished: 1000 } as const;

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
    const { exit_code: exitCode, error } = value;
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
  if (args.action === 'kill') return killed(id, await processes.kill(id));
  if (args.action === 'write') return write(id, args.data, context);
  if (args.action === 'submit') return write(id, `${args.data ?? ''}\n`, context);
  if (args.action === 'close') return closed(id, processes.endInput(id));
  const found = processes.poll(id);
  if (found === undefined) return notFound(id);
  return args.action === 'log' ? log(found, args, context) : polled(found, context);
}

function listed(found: ProcessSnapshot, context: Context): Record<string, unknown> {
  return {
    session_id: found.id,
    command: context.services.redact(found.command).slice(0, previewChars.list),
    cwd: found.cwd,
    pid: found.pid,
    started_at: new Date(found.startedAt).toISOString(),
    uptime_seconds: found.uptimeSeconds,
    status: found.status,
    output_preview: newest(found.id, previewChars.list, context),
    ...exitCode(found),
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
    ...exitCode(found),
  };
}

function log(found: ProcessSnapshot, args: ProcessArgs, context: Context): Record<string, unknown> {
  const text = cleanText(context.services.processes.log(found.id), context.services);
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const shown = args.offset === 0 ? lines.slice(-args.limit) : lines.slice(args.offset, args.offset + args.limit);
  return {
    session_id: found.id,
    status: found.status,
    output: shown.join('\n'),
    total_lines: lines.length,
    showing: `${shown.length} lines`,
    ...exitCode(found),
  };
}

async function wait(id: string, args: ProcessArgs, context: Context): Promise<Record<string, unknown>> {
  const { processes, config } = context.services;
  const problem = terminalProblem(context.services);
  if (problem !== undefined) return { status: 'error', error: problem };
  const limit = config.terminal.timeout;
  const seconds = Math.min(args.timeout ?? limit, limit);
  const note =
    args.timeout !== undefined && args.timeout > limit
      ? { timeout_note: `A wait of ${args.timeout} s was shortened to the configured limit of ${limit} s.` }
      : {};
  const status = await processes.wait(id, { timeoutMs: seconds * 1000, signal: context.signal });
  if (status === 'not_found') return notFound(id);
  if (status !== 'exited') return { status, output: newest(id, previewChars.unfinished, context), ...note };
  const found = processes.poll(id);
  const output = newest(id, previewChars.exited, context);
  return { status, ...(found === undefined ? {} : exitCode(found)), output, ...note };
}

function killed(id: string, outcome: 'killed' | 'already_exited' | 'not_found'): Record<string, unknown> {
  return outcome === 'not_found' ? notFound(id) : { status: outcome, session_id: id };
}

function closed(id: string, outcome: 'ok' | 'exited' | 'closed' | 'not_found'): Record<string, unknown> {
  if (outcome === 'not_found') return notFound(id);
  if (outcome === 'exited') return { status: 'already_exited', session_id: id };
  if (outcome === 'closed') return { status: 'error', error: 'The process does not take input.' };
  return { status: 'ok', session_id: id, message: 'The input of the process is closed.' };
}

function write(id: string, data: string | undefined, context: Context): Record<string, unknown> {
  if (data === undefined) return { status: 'error', error: 'data is required for write.' };
  const outcome = context.services.processes.write(id, data);
  if (outcome === 'not_found') return notFound(id);
  if (outcome === 'exited') return { status: 'error', error: 'The process has ended.' };
  if (outcome === 'closed') return { status: 'error', error: 'The process does not take input.' };
  return { status: 'ok', bytes_written: Buffer.byteLength(data) };
}

function notFound(id: string): Record<string, unknown> {
  return { status: 'not_found', error: `No process with ID ${id}` };
}

function exitCode(found: ProcessSnapshot): { readonly exit_code?: number } {
  return found.exitCode === undefined ? {} : { exit_code: found.exitCode };
}

/** The newest output, cleaned before it is cut, so that no secret or sequence is cut in half and shown. */
function newest(id: string, chars: number, context: Context): string {
  const { services } = context;
  return cleanText(services.processes.log(id, chars * 4 + 4000), services).slice(-chars);
}
