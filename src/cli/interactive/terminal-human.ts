/** The person at the terminal, as the agent sees them. */
import pLimit from 'p-limit';
import type { ApprovalChoice, ApprovalRequest, Human } from '../../agent/human.ts';
import type { Log } from '../../lib/log.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { LeaseHolder } from '../../sessions/leases.ts';
import { describeHolder } from '../../worker/lease-words.ts';
import type { LeaseChoice } from '../../worker/worker.ts';
import type { Colors } from '../render/colors.ts';
import { terminalText } from '../render/terminal-text.ts';
import { askChoice, askText, type Choice } from './question-panel.ts';
import type { Screen } from './screen.ts';

export interface TerminalHumanOptions {
  readonly screen: Screen;
  readonly colors: Colors;
  /** `approvals.timeout` and `clarify.timeout`, in seconds. */
  readonly approvalSeconds: number;
  readonly clarifySeconds: number;
  readonly log: Log;
}

const secretSeconds = 120;
/** Longer commands are cut until `view` is chosen. */
const shownCommandChars = 70;

/** Asks one question at a time, each in a panel. */
export class TerminalHuman implements Human {
  readonly present = true;
  readonly #options: TerminalHumanOptions;
  readonly #oneAtATime = pLimit(1);
  #open: AbortController | undefined;

  constructor(options: TerminalHumanOptions) {
    this.#options = options;
  }

  /** True while a question is open. */
  get asking(): boolean {
    return this.#open !== undefined;
  }

  /** Ctrl+C: the open question is answered with no. */
  cancelOpenQuestion(): void {
    this.#open?.abort();
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice> {
    const { approvalSeconds, screen, colors } = this.#options;
    return await this.#ask(approvalSeconds, signal, 'deny', async (limit) => {
      const choice = await this.#askApproval(request, limit);
      if (choice !== undefined) return choice;
      const { aborted, reason } = limit;
      if (!aborted || !(reason instanceof DOMException) || reason.name !== 'TimeoutError') return 'deny';
      screen.print(colors.yellow('  ⏱ Timeout — denying command'));
      return 'timeout';
    });
  }

  async clarify(question: string, choices: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    return await this.#ask(this.#options.clarifySeconds, signal, undefined, async (limit) => {
      const { screen, colors } = this.#options;
      const lines = [colors.bold(`? ${terminalText(question)}`)];
      if (choices.length > 0) {
        const offered = [
          ...choices.map((choice, index) => ({ value: String(index), label: terminalText(choice) })),
          { value: 'other', label: 'Other', description: 'type an answer' },
        ];
        const picked = await askChoice(screen, colors, { lines, choices: offered, preselected: 0 }, limit);
        if (picked !== 'other') return picked === undefined ? undefined : choices[Number(picked)];
      }
      return await askText(screen, lines, { hidden: false }, limit);
    });
  }

  async secret(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    return await this.#ask(secretSeconds, signal, undefined, async (limit) => {
      const { screen, colors } = this.#options;
      const answer = await askText(screen, [colors.bold(terminalText(prompt))], { hidden: true }, limit);
      return answer === '' ? undefined : answer;
    });
  }

  /** Once, always, or no. */
  async confirm(question: string): Promise<'once' | 'always' | 'cancel'> {
    const answer = await this.#choose(question, 2, [
      { value: 'once', label: 'Approve Once' },
      { value: 'always', label: 'Always Approve', description: 'do not ask again' },
      { value: 'cancel', label: 'Cancel' },
    ]);
    return answer === 'once' || answer === 'always' ? answer : 'cancel';
  }

  /** What to do about a conversation that is continued elsewhere; undefined when it is better left alone. */
  async chooseLease(by: LeaseHolder): Promise<LeaseChoice | undefined> {
    const answer = await this.#choose(describeHolder(by), 0, [
      { value: 'wait', label: 'wait', description: 'go on here when it is free' },
      { value: 'take_over', label: 'take over', description: 'go on here at once; nothing more is stored there' },
      { value: 'read', label: 'read only', description: 'show it and send nothing' },
      { value: 'cancel', label: 'cancel', description: 'leave it' },
    ]);
    return answer === 'wait' || answer === 'take_over' || answer === 'read' ? answer : undefined;
  }

  async #choose(question: string, preselected: number, choices: readonly Choice[]): Promise<string | undefined> {
    const { screen, colors } = this.#options;
    const lines = [colors.bold(terminalText(question))];
    return await this.#ask(undefined, new AbortController().signal, undefined, (limit) =>
      askChoice(screen, colors, { lines, choices, preselected }, limit),
    );
  }

  /** Asks when the earlier questions are answered; the answer must come within `seconds`. */
  async #ask<Answer, Otherwise>(
    seconds: number | undefined,
    signal: AbortSignal,
    otherwise: Otherwise,
    question: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer | Otherwise> {
    return await this.#oneAtATime(async () => {
      this.#open = new AbortController();
      const limits = [signal, this.#open.signal];
      if (seconds !== undefined) limits.push(AbortSignal.timeout(seconds * 1000));
      try {
        return await question(AbortSignal.any(limits));
      } catch (error) {
        this.#options.log.error('a question could not be asked', error);
        return otherwise;
      } finally {
        this.#open = undefined;
      }
    });
  }

  async #askApproval(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice | undefined> {
    const { screen, colors, approvalSeconds } = this.#options;
    const command = escapeForDisplay(request.command);
    const sources = request.sources.map((source) => escapeForDisplay(source, { singleLine: true })).join(', ');
    let whole = command.length <= shownCommandChars;
    for (;;) {
      const choices: Choice[] = [
        { value: 'once', label: 'once', description: 'run it this time' },
        { value: 'session', label: 'session', description: 'and do not ask for this kind again in this session' },
        ...(request.mayRemember
          ? [{ value: 'always', label: 'always', description: 'never ask for this kind again' }]
          : []),
        { value: 'deny', label: 'deny' },
        ...(whole ? [] : [{ value: 'view', label: 'view', description: 'show the whole command' }]),
      ];
      const lines = [
        colors.yellow(`⚠ This command needs your approval: ${request.reasons.map(terminalText).join('; ')}`),
        `  ${whole ? command : `${command.slice(0, shownCommandChars)}…`}`,
        ...(sources === '' ? [] : [colors.yellow(`  text from: ${sources}`)]),
        colors.dim(`  No answer within ${approvalSeconds} s means no.`),
      ];
      const preselected = choices.findIndex((choice) => choice.value === 'deny');
      const answer = await askChoice(screen, colors, { lines, choices, preselected }, signal);
      if (answer !== 'view') {
        return answer === 'once' || answer === 'session' || answer === 'always' || answer === 'deny'
          ? answer
          : undefined;
      }
      whole = true;
    }
  }
}
