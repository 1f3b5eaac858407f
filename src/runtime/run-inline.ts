/** Runs the commands in a skill's text: decided, placed and written down like any other, with nobody to be asked about them. */
import type { CallEnd, Policy, PolicyCall, PolicyDecision } from '../agent/policy.ts';
import type { Confinement } from '../environments/environment.ts';
import type { RunInline } from '../skills/skill-body.ts';
import type { ToolServices } from '../tools/services.ts';

const maxOutput = 20_000;
const maxProblem = 500;

type InlineOptions = Parameters<RunInline>[1];

export class InlineCommands {
  readonly #services: ToolServices;
  readonly #sessionId: () => string;
  #policy: Policy | undefined;

  constructor(services: ToolServices, sessionId: () => string) {
    this.#services = services;
    this.#sessionId = sessionId;
  }

  /** Whoever opens the session says who decides; before that nothing runs. */
  decideBy(policy: Policy): void {
    this.#policy = policy;
  }

  /** Rejects with the reason for what is refused, and for what a person would have to look at. */
  readonly run: RunInline = async (command, options) => {
    const policy = this.#policy;
    if (policy === undefined) throw new Error('nobody has opened the session yet');
    const services = this.#services;
    const { judgeRun, placeRun } = await import('../tools/terminal/judge-command.ts');
    const { requireUnchanged } = await import('../tools/terminal/run-files.ts');
    const { cwd, signal } = options;
    const call: PolicyCall = {
      tool: 'inline_shell',
      args: { command, workdir: cwd },
      sessionId: this.#sessionId(),
      humanPresent: false,
      judge: () => judgeRun(command, cwd, services),
    };
    const decision = await policy.decide(call, signal);
    if (decision.kind !== 'allow') throw new Error(whyNot(decision));
    let end: CallEnd = { outcome: 'cancelled' };
    try {
      const { rights, runs } = decision;
      const context = {
        services,
        ...(rights === undefined ? {} : { rights }),
        ...(runs === undefined ? {} : { runs }),
      };
      const confinement = await placeRun(command, cwd, context);
      await requireUnchanged(command, cwd, context);
      const { exitCode, output, problem } = await this.#run(command, options, confinement);
      const outcome = exitCode === 0 ? 'ok' : 'error';
      end = { outcome, exitCode, ran: { command }, ...(confinement === undefined ? {} : { confined: true }) };
      if (exitCode !== 0) throw new Error(problem || `exit code ${exitCode}`);
      return output;
    } finally {
      await policy.ended?.(call, end);
    }
  };

  async #run(command: string, options: InlineOptions, confinement: Confinement | undefined) {
    const { environment } = this.#services;
    if (confinement === undefined) {
      const { exitCode, output, stderr } = await environment.runProgram(['bash', '-c', command], {
        ...options,
        maxOutput,
      });
      return { exitCode, output, problem: stderr.trim() };
    }
    // In a shell of its own: what it sets is no business of later commands.
    const { exitCode, output } = await environment.run(`(${command}\n)`, { ...options, confinement });
    return { exitCode, output: output.slice(0, maxOutput), problem: output.trim().slice(-maxProblem) };
  }
}

function whyNot(decision: Exclude<PolicyDecision, { kind: 'allow' }>): string {
  if (decision.kind === 'ask') return `needs approval: ${decision.request.reasons.join('; ')}`;
  return decision.nobodyToAsk === true ? `needs approval: ${decision.reason}` : decision.reason;
}
