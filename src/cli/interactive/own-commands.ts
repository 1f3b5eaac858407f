/** `!command`: what a person runs here themselves; what it printed goes along with their next message, after `!!` it does not. */
import { randomUUID } from 'node:crypto';
import type { TurnInput } from '../../agent/agent.ts';
import type { Variables } from '../../config/variables.ts';
import { findShell } from '../../environments/local/find-shell.ts';
import { runProgram } from '../../environments/local/run-program.ts';
import { mergeSources } from '../../llm/source.ts';
import { textOf } from '../../llm/message.ts';
import type { RecordRun } from '../../commands/quick-commands.ts';
import { shellMark } from '../../lib/shell-mark.ts';
import { childEnvironment } from '../../safety/child-env.ts';

export interface OwnCommandsOptions {
  readonly env: Variables;
  readonly cwd: string;
  /** Takes secrets out. */
  readonly mask: (text: string) => string;
  /** Writes down that it runs, and how it ended. */
  readonly record: RecordRun;
}

/** What a line asks for. */
export interface OwnCommand {
  readonly command: string;
  /** Whether the model shall see what it prints. */
  readonly along: boolean;
}

const timeoutMs = 120_000;
const maxOutput = 50_000;
/** Commands whose output waits for the next message; older ones are left out. */
const maxAlong = 10;

export class OwnCommands {
  readonly #options: OwnCommandsOptions;
  #along: string[] = [];
  #running: AbortController | undefined;

  constructor(options: OwnCommandsOptions) {
    this.#options = options;
  }

  /** Of a line that begins with `!`. */
  static parse(line: string): OwnCommand | undefined {
    const [, mark, command = ''] = /^(!!?)\s*(\S[^]*)$/.exec(line) ?? [];
    return mark === undefined ? undefined : { command, along: mark === '!' };
  }

  /** Ends the running one; false when none runs. */
  stop(): boolean {
    this.#running?.abort();
    return this.#running !== undefined;
  }

  /** What it printed, and how it ended. The program gets none of the agent's credentials. */
  async run({ command, along }: OwnCommand): Promise<string> {
    const { env, cwd, mask, record } = this.#options;
    const id = randomUUID();
    this.#running = new AbortController();
    const { signal } = this.#running;
    const ended = await record({ tool: '!command', command });
    let code: number | undefined;
    try {
      const { output, stderr, exitCode } = await runProgram(
        [findShell(env).path, '-c', command],
        { cwd, timeoutMs, maxOutput, signal },
        { ...childEnvironment(env), [shellMark]: id },
        id,
      );
      code = signal.aborted ? undefined : exitCode;
      const said = mask([output.trim(), stderr.trim()].filter((part) => part !== '').join('\n'));
      const end = signal.aborted
        ? 'stopped'
        : exitCode === 124
          ? `ended after ${timeoutMs / 1000} s`
          : `exit code ${exitCode}`;
      if (along) this.#along = [...this.#along, block(command, said, end)].slice(-maxAlong);
      const note = exitCode === 0 && !signal.aborted ? [] : [`[${end}]`];
      return [...(said === '' ? [] : [said]), ...note].join('\n') || '(it printed nothing)';
    } finally {
      this.#running = undefined;
      await ended(code);
    }
  }

  /** The message with what was printed since the last one. Called once for each that is sent. */
  bring(input: TurnInput): TurnInput {
    if (this.#along.length === 0) return input;
    const blocks = this.#along.splice(0).join('\n\n');
    const { content } = input;
    const sources = mergeSources(input.sources ?? [{ from: 'user' }], [{ from: 'program' }]);
    if (typeof content !== 'string') {
      return { ...input, content: [...content, { type: 'text', text: blocks }], sources };
    }
    return { ...input, content, sent: `${input.sent ?? textOf(content)}\n\n${blocks}`, sources };
  }
}

function block(command: string, said: string, end: string): string {
  return [`[I ran this here myself (${end}):]`, `$ ${command}`, said].join('\n').trimEnd();
}
