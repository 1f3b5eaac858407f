/** `terminal`: runs shell commands, in the foreground to their end or in the background under watch. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolContext } from '../../agent/tool.ts';
import type { RunResult } from '../../environments/environment.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { ToolServices } from '../services.ts';
import { cleanOutput } from './clean-output.ts';
import { LiveOutput } from './live-output.ts';

const minCheckSeconds = 30;
const retryWaitsMs = [2000, 4000, 8000];

const parameters = z.object({
  command: z.string().min(1).describe('Shell text, run by bash.'),
  background: z
    .boolean()
    .default(false)
    .describe(
      'Start it and return at once with a session_id for the process tool. For servers, watchers, long builds.',
    ),
  timeout: z
    .int()
    .min(1)
    .optional()
    .describe('Seconds that a foreground command may take before it is ended (default: terminal.timeout, 180).'),
  workdir: z
    .string()
    .optional()
    .describe('Directory for this command only; the directory of the session stays as it is.'),
  pty: z
    .boolean()
    .default(false)
    .describe('With background: give the program a terminal, for interactive ones such as a REPL.'),
  notify_on_complete: z
    .boolean()
    .default(false)
    .describe('With background: you are told once when the process ends, so there is no need to poll.'),
  watch_patterns: z
    .array(z.string())
    .optional()
    .describe('With background: you are told when a line of output contains one of these texts.'),
  check_interval: z
    .int()
    .optional()
    .describe('With background: a status report every so many seconds, at least 30. Prefer notify_on_complete.'),
});

type TerminalArgs = z.infer<typeof parameters>;
type Context = ToolContext<ToolServices>;

export const terminalTool = defineTool<ToolServices, typeof parameters>({
  name: 'terminal',
  toolset: 'terminal',
  emoji: '💻',
  description: [
    'Run a shell command. Directory, exported variables, functions and aliases are kept between calls.',
    'Standard input is empty: pass flags such as -y, and use background with pty and the process tool for programs that ask.',
    'Use background for anything that does not end by itself, not a trailing &.',
    'Read and change files with the file tools rather than with cat, sed or here-documents.',
  ].join(' '),
  parameters,
  parallel: 'never',
  preview: (args) => args.command,
  async execute(args, context) {
    const { settings, environment } = context.services;
    if (settings.terminalProblem !== undefined) return failure('error', settings.terminalProblem);
    if (args.workdir !== undefined && !isSafePath(args.workdir)) {
      return failure(
        'blocked',
        `workdir ${JSON.stringify(args.workdir)} has characters that are not allowed in a directory name here. Use letters, digits, spaces and _ - . / ~ + @ = , : % #`,
      );
    }
    const cwd = args.workdir === undefined ? undefined : environment.files.resolve(args.workdir);
    try {
      return args.background ? await startInBackground(args, cwd, context) : await runToEnd(args, cwd, context);
    } catch (error) {
      return failure('error', context.services.redact(errorMessage(error)));
    }
  },
});

async function runToEnd(
  args: TerminalArgs,
  cwd: string | undefined,
  context: Context,
): Promise<Record<string, unknown>> {
  const { environment, settings } = context.services;
  const seconds = args.timeout ?? settings.terminalTimeoutSeconds;
  const live = new LiveOutput((text) => context.progress(context.services.redact(text)));
  try {
    const result = await withRetries(
      () =>
        environment.run(args.command, {
          ...(cwd === undefined ? {} : { cwd }),
          timeoutMs: seconds * 1000,
          signal: context.signal,
          onOutput: (chunk) => live.push(chunk),
        }),
      context.signal,
    );
    const output = cleanOutput(result, settings.maxOutputChars, context.services);
    return {
      output: withEnding(output, result, seconds),
      exit_code: result.exitCode,
      error: null,
      ...(result.note === undefined ? {} : { note: result.note }),
    };
  } finally {
    live.stop();
  }
}

async function startInBackground(
  args: TerminalArgs,
  cwd: string | undefined,
  context: Context,
): Promise<Record<string, unknown>> {
  const { environment, processes } = context.services;
  const interval = args.check_interval === undefined ? undefined : Math.max(minCheckSeconds, args.check_interval);
  const started = await processes.start(environment, args.command, {
    ...(cwd === undefined ? {} : { cwd }),
    pty: args.pty,
    notifyOnComplete: args.notify_on_complete,
    ...(args.watch_patterns === undefined ? {} : { watchPatterns: args.watch_patterns }),
    ...(interval === undefined ? {} : { checkIntervalSeconds: interval }),
    taskId: context.taskId,
  });
  return {
    output: 'Background process started',
    session_id: started.id,
    pid: started.process.pid,
    exit_code: 0,
    error: null,
    ...(interval === args.check_interval
      ? {}
      : { check_interval_note: `check_interval was raised to its minimum of ${minCheckSeconds} seconds.` }),
    ...(args.timeout === undefined
      ? {}
      : { timeout_note: 'timeout limits foreground commands only; end this process with the process tool.' }),
  };
}

function withEnding(output: string, result: RunResult, seconds: number): string {
  if (result.ended === 'exit') return output;
  const ending =
    result.ended === 'timeout' ? `[Command timed out after ${seconds} seconds]` : '[Command interrupted by the user]';
  return output === '' ? ending : `${output}\n${ending}`;
}

/**
 * An environment that fails, unlike a command that fails, may work a little later. A `UserError` needs a person, not
 * a second try.
 */
async function withRetries(run: () => Promise<RunResult>, signal: AbortSignal): Promise<RunResult> {
  for (const wait of retryWaitsMs) {
    try {
      return await run();
    } catch (error) {
      if (error instanceof UserError || signal.aborted) throw error;
      await sleep(wait, undefined, { signal });
    }
  }
  return await run();
}

/** Backends put the directory into shell text, so it may hold nothing that a shell could read as more than a name. */
function isSafePath(path: string): boolean {
  return /^[\p{L}\p{N}\p{M}_\-./~+@=,:%# ]+$/u.test(path);
}

function failure(status: 'error' | 'blocked', error: string): Record<string, unknown> {
  return { output: '', exit_code: -1, error, status };
}
