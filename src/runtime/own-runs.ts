/** Writes down what a person runs in a chat themselves: a line behind `!`, or a command of their own from config.yaml. */
import type { AuditLog } from '../audit/audit-log.ts';
import { auditLimits } from '../config/open-log.ts';
import type { Program } from './program.ts';
import { secretMask } from './secret-mask.ts';

export interface OwnRun {
  readonly tool: '!command' | 'quick_commands';
  readonly command: string;
}

const maxShownChars = 4000;

/** What goes wrong with the log never keeps a person from their command. */
export class OwnRuns {
  readonly #program: Pick<Program, 'options' | 'log'>;
  readonly #sessionId: () => string;
  readonly #mask: (text: string) => string;
  #log: Promise<AuditLog> | undefined;

  constructor(program: Pick<Program, 'options' | 'log'>, sessionId: () => string) {
    this.#program = program;
    this.#sessionId = sessionId;
    this.#mask = secretMask(program.options);
  }

  /** Resolves when it is written down. To be told the exit code in the end; `undefined` when the command was stopped. */
  async begin({ tool, command }: OwnRun): Promise<(exitCode: number | undefined) => Promise<void>> {
    const session = this.#sessionId();
    const { sha256 } = await import('../audit/chain.ts');
    const hash = sha256(command);
    this.#log ??= this.#open();
    const log = await this.#log;
    const seq = await log.write({
      kind: 'decision',
      session,
      surface: 'cli',
      tool,
      shown: this.#shown(command),
      sha256: hash,
      findings: [],
      sources: [{ from: 'user' }],
      decision: 'allowed',
      by: 'person',
    });
    return async (exitCode) => {
      await log.write({
        kind: 'ended',
        session,
        tool,
        ...(seq === undefined ? {} : { decision: seq }),
        outcome: exitCode === undefined ? 'cancelled' : exitCode === 0 ? 'ok' : 'error',
        sha256: hash,
        where: 'outside',
        ...(exitCode === undefined ? {} : { exit: exitCode }),
      });
    };
  }

  /** Masked before it is cut: a cut through a secret must not show half of it. */
  #shown(command: string): string {
    const masked = this.#mask(command.slice(0, maxShownChars * 4));
    if (command.length <= maxShownChars) return masked;
    return `${masked.slice(0, maxShownChars).toWellFormed()}… (${command.length} characters)`;
  }

  async #open(): Promise<AuditLog> {
    const { options, log } = this.#program;
    const { AuditLog: Log } = await import('../audit/audit-log.ts');
    return new Log({
      homePath: options.home.path,
      limits: auditLimits(options.config.config),
      onProblem: (error) => log.named('audit').error('a command of the person could not be written down', error),
    });
  }
}
