/** The flags of `hermes chat`, which bare `hermes` takes too. */
import type { Command } from 'commander';
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';

/** Flags that take a value, so that the command after them is found. */
export const chatValueFlags = {
  required: [
    '-q',
    '--query',
    '-z',
    '--oneshot',
    '-m',
    '--model',
    '--provider',
    '-t',
    '--toolsets',
    '-s',
    '--skills',
    '-r',
    '--resume',
    '--source',
    '--max-turns',
    '--image',
    '--usage-file',
  ],
  optional: ['-c', '--continue'],
};

/** Declares the flags on a command. */
export function addChatOptions(command: Command): Command {
  return command
    .option('-z, --oneshot <prompt>', 'one prompt in, the answer out, nothing else')
    .option('-q, --query <text>', 'ask one question, show the work, and exit')
    .option('-Q, --quiet', 'with -q: only the answer and the session id')
    .option('-m, --model <name>', 'model for this run')
    .option('--provider <id>', 'provider for this run (auto, openrouter, openai-api, custom, custom:<name>, demo)')
    .option('-t, --toolsets <list>', 'toolsets for this run, comma-separated')
    .option('--image <path>', 'a picture that goes along with the question (PNG, JPEG, GIF, WebP)')
    .option('--usage-file <path>', 'write tokens and cost of the answer as JSON, however it ends')
    .option('-s, --skills <list>', 'skills that stay in force for the session; repeatable, comma-separated', addToList)
    .option('-w, --worktree', 'work in a git worktree of its own, removed afterwards if nothing in it would be lost')
    .option('-r, --resume <session>', 'continue a session by id, unique id prefix, or title')
    .option('-c, --continue [name]', 'continue the session that was used last, or the newest with this title')
    .option('--no-restore-cwd', 'continue a session here, not in the folder that it worked in')
    .option('--yolo', 'run dangerous commands without asking (the hardline list still holds)')
    .option('--checkpoints', 'keep files as they are before they are changed (see /rollback)')
    .option('--max-turns <n>', 'model requests per message')
    .option('--source <tag>', 'tag of the stored session; "tool" hides it from lists')
    .option('--pass-session-id', 'name the session id in the system prompt')
    .option('--ignore-user-config', 'do not read config.yaml; .env still loads')
    .option('--ignore-rules', 'no SOUL.md, project files, memory or preloaded skills')
    .option('--safe-mode', 'no customisation: no rules, and of config.yaml only what says which model answers')
    .option('--tui', 'the interactive terminal, of which there is one; for scripts of the original')
    .option('--cli', 'the same')
    .option('--dev', 'with --tui, for scripts of the original: there is nothing to build here')
    .option('--accept-hooks', acceptHooksText)
    .option('--plain', 'a chat line by line, for screen readers: nothing on the screen moves or changes')
    .addOption(command.createOption('--list-tools', 'list the tools and exit').hideHelp())
    .addOption(command.createOption('--list-toolsets', 'list the toolsets and exit').hideHelp())
    .addOption(command.createOption('--compact', 'a welcome without the list of tools').hideHelp())
    .option('-v, --verbose', 'show details, and stack traces of failures');
}

const chatOptions = z.object({
  oneshot: z.string().optional(),
  query: z.string().optional(),
  quiet: z.boolean().default(false),
  model: z.string().min(1, 'needs the name of a model').optional(),
  provider: z.string().min(1, 'needs the name of a provider').optional(),
  toolsets: z.string().optional(),
  skills: z.string().optional(),
  image: z.string().min(1, 'needs the path of a picture').optional(),
  usageFile: z.string().min(1, 'needs a path').optional(),
  worktree: z.boolean().default(false),
  resume: z.string().optional(),
  continue: z.union([z.string(), z.literal(true)]).optional(),
  restoreCwd: z.boolean().default(true),
  yolo: z.boolean().default(false),
  checkpoints: z.boolean().default(false),
  maxTurns: z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .optional(),
  source: z.string().optional(),
  passSessionId: z.boolean().default(false),
  ignoreRules: z.boolean().default(false),
  plain: z.boolean().default(false),
  compact: z.boolean().default(false),
  listTools: z.boolean().default(false),
  listToolsets: z.boolean().default(false),
  verbose: z.boolean().default(false),
});

export type ChatOptions = z.infer<typeof chatOptions>;

/** Throws a usage error that names the flag. */
export function parseChatOptions(raw: unknown): ChatOptions {
  // Read once: compiling a reader for it takes longer than reading.
  const parsed = chatOptions.safeParse(raw, { jitless: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const flag = String(issue?.path[0] ?? '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UserError(`--${flag} ${issue?.message ?? 'is not valid'}`, { exitCode: 2 });
}

/** Comma-separated. */
export function namesIn(list: string | undefined): string[] {
  return (list ?? '').split(',').flatMap((name) => name.trim() || []);
}

/** Read with the other flags that change what the environment says. */
export const acceptHooksText = 'allow the shell hooks of config.yaml that were not allowed yet, without a question';

function addToList(value: string, before: string | undefined): string {
  return before === undefined ? value : `${before},${value}`;
}
