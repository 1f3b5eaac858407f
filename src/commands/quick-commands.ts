/** `quick_commands` of config.yaml: slash commands of the person's own, which run a program or stand for another line. */
import { randomUUID } from 'node:crypto';
import type { Variables } from '../config/variables.ts';
import { findShell } from '../environments/local/find-shell.ts';
import { runProgram } from '../environments/local/run-program.ts';
import { UserError } from '../lib/errors.ts';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { shellMark } from '../lib/shell-mark.ts';
import type { OwnRun } from '../runtime/own-runs.ts';
import { childEnvironment } from '../safety/child-env.ts';

/** Called before a command runs; what it returns is told the exit code, or `undefined` when the command was stopped. */
export type RecordRun = (run: OwnRun) => Promise<(exitCode: number | undefined) => Promise<void>>;

export interface QuickCommandsOptions {
  /** As it stands in the file. */
  readonly commands: JsonValue | undefined;
  readonly env: Variables;
  readonly cwd: string;
  readonly mask: (text: string) => string;
  /** Writes down that one runs, and how it ended. */
  readonly record: RecordRun;
  /** After which a program is ended; default: half a minute. */
  readonly timeoutMs?: number;
  /** True for a word that a command of this program has, which comes first. */
  isBuiltIn(word: string): boolean;
}

const usualTimeoutMs = 30_000;
const maxOutput = 20_000;

export class QuickCommands {
  readonly #options: QuickCommandsOptions;
  readonly #entries: ReadonlyMap<string, JsonValue>;

  constructor(options: QuickCommandsOptions) {
    this.#options = options;
    const { commands } = options;
    const entries = isJsonObject(commands) ? Object.entries(commands) : [];
    this.#entries = new Map(entries.map(([name, entry]) => [normalise(name), entry ?? null]));
  }

  /** Names that do nothing, because a command of this program has them. */
  get hidden(): readonly string[] {
    return [...this.#entries.keys()].filter((name) => this.#options.isBuiltIn(name));
  }

  /** True for a whole name. */
  has(word: string): boolean {
    const name = normalise(word);
    return this.#entries.has(name) && !this.#options.isBuiltIn(name);
  }

  /** The line that is meant, aliases followed. Throws `UserError` for one that is wrong or leads to itself. */
  expand(line: string): string {
    const followed = new Set<string>();
    for (let meant = line; ; ) {
      const found = this.#find(meant);
      if (found === undefined || found.entry['type'] !== 'alias') return meant;
      const { name, entry, args } = found;
      const target = entry['target'];
      if (typeof target !== 'string' || target.trim() === '') throw wrong(name, "has no 'target'");
      if (followed.has(name)) throw wrong(name, `leads to itself: ${[...followed, name].join(' → ')}`);
      followed.add(name);
      meant = `/${target.trim().replace(/^\//, '')} ${args}`.trim();
    }
  }

  /** What an expanded line runs on this machine; undefined when it is none of these commands. Throws `UserError`. */
  programOf(line: string): string | undefined {
    const found = this.#find(line);
    if (found === undefined) return undefined;
    const { name, entry } = found;
    const { type } = entry;
    if (type !== 'exec') {
      const said = typeof type === 'string' ? `the type '${type.slice(0, 40)}'` : 'no type';
      throw wrong(name, `has ${said}; there are exec and alias`);
    }
    const command = entry['command'];
    if (typeof command !== 'string' || command.trim() === '') throw wrong(name, "has no 'command'");
    return command;
  }

  /** What it printed, without secrets; the program gets none of the agent's credentials. */
  async run(command: string, signal: AbortSignal): Promise<string> {
    const { mask, timeoutMs = usualTimeoutMs, record } = this.#options;
    const ended = await record({ tool: 'quick_commands', command });
    let code: number | undefined;
    try {
      const { output, stderr, exitCode } = await this.#run(command, { timeoutMs, signal });
      code = signal.aborted ? undefined : exitCode;
      if (exitCode === 124) return `Quick command timed out (${timeoutMs / 1000}s)`;
      const said = mask(output.trim() === '' ? stderr.trim() : output.trim());
      const failed = exitCode === 0 ? '' : `exit code ${exitCode}`;
      return [said, failed].filter((part) => part !== '').join('\n') || 'Command returned no output';
    } finally {
      await ended(code);
    }
  }

  async #run(command: string, limits: { readonly timeoutMs: number; readonly signal: AbortSignal }) {
    const { env, cwd } = this.#options;
    const id = randomUUID();
    return await runProgram(
      [findShell(env).path, '-c', command],
      { ...limits, cwd, maxOutput },
      { ...childEnvironment(env), [shellMark]: id },
      id,
    );
  }

  #find(line: string) {
    const [, word = '', args = ''] = /^\/(\S+)\s*([^]*)$/.exec(line.trim()) ?? [];
    const name = normalise(word);
    const entry = this.#options.isBuiltIn(name) ? undefined : this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (!isJsonObject(entry)) throw wrong(name, 'is not a map with type and command, or type and target');
    return { name, entry, args: args.trim() };
  }
}

function wrong(name: string, what: string): UserError {
  return new UserError(`quick_commands.${name} ${what}.`, { hint: 'Correct it with: hermes config edit' });
}

function normalise(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
