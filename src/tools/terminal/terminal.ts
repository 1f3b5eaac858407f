/** `terminal`: runs shell commands, in the foreground to their end or in the background under watch. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure, type ToolOutcome } from '../../agent/tool.ts';
import type { RunResult } from '../../environments/environment.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { mergeSources, type Source } from '../../llm/source.ts';
import { exitNote } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { cleanOutput } from './clean-output.ts';
import { awaitsSomething, exitCodeMeaning } from './exit-meaning.ts';
import { commandSources, judgeRun, placeRun } from './judge-command.ts';
import { keepRules, putBackNote } from './kept-rules.ts';
import { requireUnchanged } from './run-files.ts';
import { LiveOutput } from './live-output.ts';
import { beginRun, wordsEntered } from './outside-run.ts';
import { namesThatSpeak } from './speaking-names.ts';
import { startInBackground } from './start-in-background.ts';
import { sudoFailure, sudoRun } from './sudo.ts';
import {
  approvalOf,
  directoryOf,
  givenDirectory,
  parameters,
  type TerminalArgs,
  type TerminalContext,
} from './terminal-call.ts';
import { withheldNote } from './withheld-note.ts';

const retryWaitsMs = [2000, 4000, 8000];

export const terminalTool = defineTool<ToolServices, typeof parameters>({
  name: 'terminal',
  toolset: 'terminal',
  description: [
    'Run a shell command and return its output; of more than 50,000 characters the middle is left out.',
    'Directory, exported variables, functions and aliases are kept between calls.',
    'Standard input is empty: pass flags such as -y; for programs that ask use background with pty and the process tool.',
    'Use background, not a trailing &, for anything that does not end by itself.',
    'Read and change files with the file tools, not with cat, sed or here-documents.',
  ].join(' '),
  parameters,
  traits: { usesWorkspace: true, longRunning: true },
  display: { emoji: '💻', preview: ({ command }) => command, render: exitNote },
  judge: async (args, services) => await judgeRun(args.command, directoryOf(args, services), services),
  // What a command brought is told with its result.
  sources: () => [{ from: 'tool', name: 'terminal' }],
  refusal: (message) => notRun('blocked', message),
  parallel: 'never',
  async execute(args, context) {
    const { services } = context;
    const problem = terminalProblem(services);
    if (problem !== undefined) return failure(notRun('error', problem));
    if (args.workdir !== undefined && !isSafePath(args.workdir)) {
      const message = notRun(
        'blocked',
        `workdir ${JSON.stringify(args.workdir)} has characters that are not allowed in a directory name here. Use letters, digits, spaces and _ - . / \\ ~ + @ = , : % #`,
      );
      return failure(message);
    }
    const most = services.processSettings.deadlines.foreground;
    if (!args.background && args.timeout !== undefined && args.timeout > most) {
      const message = `timeout ${args.timeout} is more than a command in the foreground may take (${most} s). Use background: true and watch it with the process tool.`;
      return failure(notRun('error', message));
    }
    if (!args.background) {
      const { foregroundProblem } = await import('../../safety/commands/foreground.ts');
      const wrong = foregroundProblem(args.command, { ...services.paths, cwd: directoryOf(args, services) });
      if (wrong !== undefined) return failure(notRun('error', wrong));
    }
    const sources = await commandSources(args.command, directoryOf(args, services), services);
    if (services.edits.checkpoints !== undefined) await takeCheckpoint(args, services);
    const carried = args.background ? [] : await wordsWritten(args.command, directoryOf(args, services), services);
    const end = await beginRun([...sources, ...carried], services);
    try {
      const outcome = args.background ? await startInBackground(args, context, end) : await runToEnd(args, context);
      if (!args.background) await end();
      return { ...outcome, sources: mergeSources(sources, outcome.sources ?? []) };
    } catch (error) {
      await end();
      return { ...failure(notRun('error', services.redact(errorMessage(error)))), sources };
    }
  },
});

/** What it puts into a file of words that the model gave it. */
async function wordsWritten(command: string, cwd: string, services: ToolServices): Promise<readonly Source[]> {
  const entered = wordsEntered(services);
  if (entered.length === 0) return entered;
  const { writesOutput } = await import('../../safety/commands/writes-output.ts');
  return writesOutput(command, { ...services.paths, cwd }) ? entered : [];
}

/** A setting that could not be read (`TERMINAL_TIMEOUT=5m`): it is told instead of running anything. */
export function terminalProblem({ configProblems }: ToolServices): string | undefined {
  const problem = configProblems.find(({ variable }) => variable.startsWith('TERMINAL_'));
  return problem === undefined ? undefined : `${problem.variable}: ${problem.message}`;
}

async function takeCheckpoint(args: TerminalArgs, services: ToolServices): Promise<void> {
  const { isDestructive } = await import('../../checkpoints/destructive.ts');
  if (!isDestructive(args.command, { ...services.paths, cwd: directoryOf(args, services) })) return;
  const reason = `before terminal: ${services.redact(args.command).replace(/\s+/g, ' ').slice(0, 60)}`;
  await services.edits.checkpoints?.before([directoryOf(args, services)], reason);
}

async function runToEnd(args: TerminalArgs, context: TerminalContext): Promise<ToolOutcome> {
  const { services, signal } = context;
  const seconds = args.timeout ?? services.config.terminal.timeout;
  const directory = directoryOf(args, services);
  const confinement = await placeRun(args.command, directory, context);
  const sudo = confinement === undefined ? await sudoRun(args.command, context) : undefined;
  const rules = confinement === undefined ? undefined : await keepRules(directory, services);
  const live = new LiveOutput((text) => context.progress(services.redact(text)));
  try {
    const result = await withRetries(async () => {
      await requireUnchanged(args.command, directory, context);
      return await services.environment.run(sudo?.command ?? args.command, {
        ...givenDirectory(args, services),
        ...(sudo?.stdin === undefined ? {} : { stdin: sudo.stdin }),
        ...(confinement === undefined ? {} : { confinement }),
        timeoutMs: seconds * 1000,
        signal,
        onOutput: (chunk) => live.push(chunk),
      });
    }, signal);
    const putBack = putBackNote((await rules?.restore()) ?? [], services);
    const ran = { ...result, command: args.command, environment: services.environment.kind };
    const changed = await services.state.outputHook?.transform(ran, signal);
    const seen = changed === undefined ? result : { output: changed.text, totalChars: changed.text.length };
    const output = cleanOutput(seen, services.config.tool_output.max_bytes, services);
    const meaning = result.ended === 'exit' ? exitCodeMeaning(args.command, result.exitCode) : undefined;
    const value = {
      output: withEnding(output, result, seconds),
      exit_code: result.exitCode,
      error: null,
      ...(meaning === undefined ? {} : { exit_code_meaning: meaning }),
      ...sudoFailure(sudo, result.output, services),
      ...(await evidenceIn(args.command, directory, result, services)),
      ...approvalOf(context),
      ...noteOf(
        result.note,
        services.state.unconfined.takeNote(),
        confinement === undefined ? undefined : withheldNote(result, args.command, directory, context),
        putBack,
      ),
    };
    const outcome = (result.exitCode === 0 ? answer : failure)(value, {
      exitCode: result.exitCode,
      ...(result.ended === 'interrupt' ? {} : { ran: { command: services.redact(args.command), directory } }),
      ...(confinement === undefined ? {} : { confined: true }),
      ...(awaitsSomething(args.command) ? { awaits: true } : {}),
      ...(putBack === undefined ? {} : { problem: putBack }),
    });
    const names = namesThatSpeak(args.command, output);
    return { ...outcome, sources: changed === undefined ? names : [...names, changed.source] };
  } finally {
    sudo?.end();
    live.stop();
  }
}

function noteOf(...notes: readonly (string | undefined)[]): { readonly note?: string } {
  const told = notes.filter((note) => note !== undefined);
  return told.length === 0 ? {} : { note: told.join(' ') };
}

/** What the result says of the project, as the record of checks will have it. */
async function evidenceIn(
  command: string,
  directory: string,
  { ended, exitCode }: RunResult,
  { paths }: ToolServices,
): Promise<JsonObject> {
  if (ended === 'interrupt') return {};
  const { checkOf } = await import('../../coding/check-of.ts');
  const check = checkOf(command, directory, paths.userHome);
  if (check === undefined) return {};
  const { kind, scope, canonical } = check.evidence;
  const status = exitCode === 0 ? 'passed' : 'failed';
  return { verification_evidence: { status, kind, scope, canonical_command: canonical } };
}

function withEnding(output: string, result: RunResult, seconds: number): string {
  if (result.ended === 'exit') return output;
  const ending = result.ended === 'timeout' ? `[Command timed out after ${seconds}s]` : '[Command interrupted]';
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
  return /^[\p{L}\p{N}\p{M}_\-./\\~+@=,:%# ]+$/u.test(path);
}

function notRun(status: 'error' | 'blocked', error: string): JsonObject {
  return { output: '', exit_code: -1, error, status };
}
