/** Starts a conversation in the form that was asked for: interactive, one question, or one answer. */
import { NotConfiguredError } from '../../providers/not-configured.ts';
import { UserError } from '../../lib/errors.ts';
import { openProgram } from '../../runtime/open-program.ts';
import { openStore } from '../../runtime/open-store.ts';
import type { Program } from '../../runtime/program.ts';
import type { SessionSpec } from '../../runtime/session-spec.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';
import { type ChatOptions, namesIn, parseChatOptions } from './options.ts';
import { readInputBeside, readPipedText } from './stdin.ts';

/** Returns the exit code. */
export async function startChat(context: CliContext, rawOptions: unknown): Promise<number> {
  const options = parseChatOptions(rawOptions);
  if (options.listTools || options.listToolsets) return await listTools(context, options);
  const opened = asksForSession(options) ? await openStore(context.home) : undefined;
  for (const warning of opened?.warnings ?? []) context.io.stderr.write(`${warning}\n`);
  try {
    // Before anything is read or resolved: a session that does not exist is what the user has to hear about first.
    const resume = await findSession(opened?.store, options);
    const prompt = await readPrompt(context, options);
    if (prompt !== undefined && prompt.text.trim() === '') {
      throw new UserError('the prompt is empty', { exitCode: 2, hint: 'Usage: hermes -z "your question"' });
    }
    const program = await openProgram({
      home: context.home,
      env: context.env,
      config: await context.config(),
      cwd: currentDirectory(),
      longLived: prompt === undefined,
      version: readPackage().version,
      log: context.log,
      ...(opened === undefined ? {} : { opened: { ...opened, warnings: [] } }),
    });
    try {
      for (const warning of program.warnings) context.io.stderr.write(`${warning}\n`);
      const spec = { ...specOf(context, options, prompt === undefined), ...(resume === undefined ? {} : { resume }) };
      return prompt === undefined
        ? await runInteractively(context, program, spec, options.verbose)
        : await answerOnce(context, program, spec, prompt);
    } catch (error) {
      if (error instanceof NotConfiguredError) throw notConfigured();
      throw error;
    } finally {
      await program.close();
    }
  } finally {
    // The program closes it too; it may not have been opened.
    await opened?.store?.close();
  }
}

function asksForSession(options: ChatOptions): boolean {
  return options.resume !== undefined || options.continue !== undefined;
}

interface Prompt {
  readonly text: string;
  readonly form: 'oneshot' | 'quiet' | 'query';
}

/** The one question to answer, or nothing when a person sits at a terminal. */
async function readPrompt({ io }: CliContext, options: ChatOptions): Promise<Prompt | undefined> {
  if (options.oneshot !== undefined) {
    if (options.oneshot === '-') return { text: await readPipedText(io), form: 'oneshot' };
    const piped = await readInputBeside(io);
    const text = piped.trim() === '' ? options.oneshot : `${options.oneshot}\n\n${piped}`;
    return { text, form: 'oneshot' };
  }
  const form = options.quiet ? 'quiet' : 'query';
  if (options.query !== undefined) return { text: options.query, form };
  if (options.quiet) throw new UserError('-Q needs a question: hermes chat -Q -q "…"', { exitCode: 2 });
  if (io.stdin.isTTY && io.stdout.isTTY) return undefined;
  const piped = await readPipedText(io);
  if (piped.trim() !== '') return { text: piped, form };
  throw new UserError('there is no terminal to chat in and nothing was piped in', {
    hint: 'Ask one question with: hermes chat -q "…"  or  hermes -z "…"',
  });
}

function specOf(context: CliContext, options: ChatOptions, interactive: boolean): Omit<SessionSpec, 'human'> {
  const toolsets = namesIn(options.toolsets);
  const { model, provider, maxTurns } = options;
  return {
    surface: 'cli',
    source: options.source ?? context.settings.sessionSource ?? 'cli',
    route: { ...(model === undefined ? {} : { model }), ...(provider === undefined ? {} : { provider }) },
    ...(toolsets.length === 0 ? {} : { toolsets }),
    ...(maxTurns === undefined ? {} : { maxSteps: maxTurns }),
    prompt: {
      ignoreRules: options.ignoreRules,
      preload: namesIn(options.skills),
      passSessionId: options.passSessionId,
    },
    mode: { yolo: options.yolo, learns: interactive, allowDemo: interactive },
  };
}

/** Throws `UserError` when the directory is gone. */
export function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new UserError('the current directory does not exist any more', {
      hint: 'Change to another one.',
      cause: error,
    });
  }
}

function notConfigured(): UserError {
  return new UserError('no model is set up yet.', {
    hint: [
      'Run `hermes setup` in a terminal, or set one up without prompts:',
      '  hermes config set OPENROUTER_API_KEY <key>          (or OPENAI_API_KEY)',
      '  hermes config set model.provider custom && hermes config set model.base_url http://localhost:1234/v1',
      'To try it offline and without a key: hermes --provider demo',
    ].join('\n'),
  });
}

/** The session named by `-r` or `-c`. Throws when it was named and does not exist: nothing is created silently. */
async function findSession(store: SessionStore | undefined, options: ChatOptions): Promise<SessionRow | undefined> {
  const hint = "'hermes sessions list' shows what there is.";
  const reference = options.resume ?? (typeof options.continue === 'string' ? options.continue : undefined);
  if (reference !== undefined) {
    const found = await store?.sessions.resolve(reference);
    if (found !== undefined) return found;
    throw new UserError(
      options.resume === undefined ? `No session found matching '${reference}'.` : `Session '${reference}' not found.`,
      { hint },
    );
  }
  if (options.continue !== true) return undefined;
  const latest = await store?.sessions.latest('cli');
  if (latest === undefined) throw new UserError('No previous CLI session found to continue.', { hint });
  return latest;
}

async function answerOnce(
  context: CliContext,
  program: Program,
  spec: Omit<SessionSpec, 'human'>,
  prompt: Prompt,
): Promise<number> {
  const { headless } = await import('../../agent/human.ts');
  const { openWorker } = await import('../../worker/open-worker.ts');
  const { MemoryWorkQueue } = await import('../../worker/memory-work-queue.ts');
  const { expandTyped } = await import('./expand-typed.ts');
  const { printAnswer, printAnswerAndSession } = await import('./one-shot.ts');
  const warn = (line: string): void => void context.io.stderr.write(`${line}\n`);
  const worker = await openWorker(
    program,
    { ...spec, human: headless, notify: ({ line }) => warn(line) },
    { queue: new MemoryWorkQueue(), prepare: expandTyped },
  );
  for (const line of worker.session.warnings) warn(line);
  try {
    switch (prompt.form) {
      case 'oneshot':
        return await printAnswer(context.io, worker, prompt.text);
      case 'quiet':
        return await printAnswerAndSession(context.io, worker, prompt.text);
      case 'query': {
        const { showTurn } = await import('./show-turn.ts');
        return await showTurn(context, worker, prompt.text, await context.config());
      }
    }
  } finally {
    await worker.close();
    await worker.session.close('cli_close');
  }
}

async function runInteractively(
  context: CliContext,
  program: Program,
  spec: Omit<SessionSpec, 'human'>,
  verbose: boolean,
): Promise<number> {
  const { openTerminal } = await import('./open-terminal.ts');
  return await openTerminal(context, program, spec, verbose);
}

async function listTools(context: CliContext, options: ChatOptions): Promise<number> {
  const { toolCatalogue } = await import('../../tools/catalogue.ts');
  const bySet = Map.groupBy(toolCatalogue, (tool) => tool.toolset);
  for (const [toolset, tools] of [...bySet].sort(([left], [right]) => left.localeCompare(right))) {
    context.io.stdout.write(
      `${toolset}${
        options.listTools
          ? `: ${tools
              .map((tool) => tool.name)
              .sort()
              .join(', ')}`
          : ''
      }\n`,
    );
  }
  return 0;
}
