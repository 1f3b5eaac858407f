/** Starts a conversation in the form that was asked for: interactive, one question, or one answer. */
import { NotConfiguredError } from '../../providers/not-configured.ts';
import { UserError } from '../../lib/errors.ts';
import { openProgram } from '../../runtime/open-program.ts';
import { openStore } from '../../runtime/open-store.ts';
import type { Program, ProgramOptions } from '../../runtime/program.ts';
import type { SessionSpec } from '../../runtime/session-spec.ts';
import { hookAsker } from '../ask-hook.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';
import { currentDirectory } from './current-directory.ts';
import { asksForSession, findSession } from './find-session.ts';
import { type ChatOptions, namesIn, parseChatOptions } from './options.ts';
import { type Prompt, readPrompt } from './prompt.ts';
import type { UsageFile } from './usage-file.ts';

/** Returns the exit code. */
export async function startChat(context: CliContext, rawOptions: unknown): Promise<number> {
  const options = parseChatOptions(rawOptions);
  if (options.listTools || options.listToolsets) return await listTools(context, options);
  if (options.usageFile === undefined) return await openChat(context, options, undefined);
  const { UsageFile } = await import('./usage-file.ts');
  const usage = new UsageFile(options.usageFile);
  try {
    const exitCode = await openChat(context, options, usage);
    usage.write();
    return exitCode;
  } catch (error) {
    usage.write(error);
    throw error;
  }
}

async function openChat(context: CliContext, options: ChatOptions, usage: UsageFile | undefined): Promise<number> {
  const opened = asksForSession(options) ? await openStore(context.home) : undefined;
  for (const warning of opened?.warnings ?? []) context.io.stderr.write(`${warning}\n`);
  try {
    // Before anything is read or resolved: a session that does not exist is what the user has to hear about first.
    const resume = await findSession(opened?.store, options);
    const prompt = await readPrompt(context, options);
    if (prompt === undefined && usage !== undefined) {
      throw new UserError('--usage-file goes along with a question: hermes -z "…" --usage-file PATH', { exitCode: 2 });
    }
    const config = await context.config();
    const silent = prompt !== undefined && prompt.form !== 'query';
    return await inWorktree(context, { options, silent }, (note) => {
      const spec = {
        ...specOf(context, options, { interactive: prompt === undefined, script: silent }, note),
        ...(resume === undefined ? {} : { resume }),
      };
      const found = opened === undefined ? {} : { opened: { ...opened, warnings: [] } };
      const programOptions = { home: context.home, env: context.env, config, log: context.log, ...found };
      return runChat(context, programOptions, { options, spec, prompt, usage });
    });
  } finally {
    // The program closes it too; it may not have been opened.
    await opened?.store?.close();
  }
}

interface Chat {
  readonly options: ChatOptions;
  readonly spec: Omit<SessionSpec, 'human'>;
  readonly prompt: Prompt | undefined;
  readonly usage: UsageFile | undefined;
}

async function runChat(
  context: CliContext,
  programOptions: Omit<ProgramOptions, 'cwd'>,
  { options, spec, prompt, usage }: Chat,
): Promise<number> {
  const program = await openProgram({
    ...programOptions,
    cwd: currentDirectory(),
    longLived: prompt === undefined,
    commandNames: context.commands.map(({ name }) => name),
    version: readPackage().version,
    ...hookAsker(context),
  });
  try {
    for (const warning of program.warnings) context.io.stderr.write(`${warning}\n`);
    if (prompt === undefined) return await runInteractively(context, program, spec, options);
    const { answerOnce } = await import('./answer-once.ts');
    return await answerOnce(context, program, { prompt, spec, usage });
  } catch (error) {
    if (error instanceof NotConfiguredError) throw notConfigured();
    throw error;
  } finally {
    await program.close();
  }
}

/** Runs `work` in a git worktree of its own if one is wanted; `note` tells the model of it. */
async function inWorktree(
  context: CliContext,
  { options, silent }: { readonly options: ChatOptions; readonly silent: boolean },
  work: (note: string | undefined) => Promise<number>,
): Promise<number> {
  const { worktree: always, worktree_sync: sync } = (await context.config()).config;
  if (!options.worktree && !always) return await work(undefined);
  const { openWorktree } = await import('./worktree/open-worktree.ts');
  const cwd = currentDirectory();
  const stream = silent ? context.io.stderr : context.io.stdout;
  const say = (line: string): void => {
    // Warnings are said in any case.
    if (!context.settings.quiet || /^(⚠| {2})/.test(line)) stream.write(`${line}\n`);
  };
  const worktree = await openWorktree({ cwd, env: context.env, sync, say });
  try {
    process.chdir(worktree.path);
    return await work(worktree.note);
  } finally {
    process.chdir(cwd);
    await worktree.close();
  }
}

function specOf(
  context: CliContext,
  options: ChatOptions,
  { interactive, script }: { readonly interactive: boolean; readonly script: boolean },
  note: string | undefined,
): Omit<SessionSpec, 'human'> {
  const toolsets = namesIn(options.toolsets);
  const { model, provider, maxTurns } = options;
  return {
    surface: 'cli',
    source: options.source ?? context.settings.sessionSource ?? 'cli',
    route: {
      ...(model === undefined ? {} : { model }),
      ...(provider === undefined ? {} : { provider }),
      ...(script && provider !== undefined ? { modelMustBeNamed: true } : {}),
    },
    ...(toolsets.length === 0 ? {} : { toolsets }),
    ...(maxTurns === undefined ? {} : { maxSteps: maxTurns }),
    prompt: {
      ignoreRules: options.ignoreRules,
      preload: namesIn(options.skills),
      passSessionId: options.passSessionId,
      ...(note === undefined ? {} : { systemMessage: note }),
    },
    mode: {
      yolo: options.yolo,
      checkpoints: options.checkpoints,
      learns: interactive,
      allowDemo: interactive,
      // A worktree was made to work in.
      keepCwd: !options.restoreCwd || note !== undefined,
    },
  };
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

async function runInteractively(
  context: CliContext,
  program: Program,
  spec: Omit<SessionSpec, 'human'>,
  options: ChatOptions,
): Promise<number> {
  const { openTerminal } = await import('./open-terminal.ts');
  return await openTerminal(context, program, spec, options);
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
