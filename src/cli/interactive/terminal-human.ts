/** The person at the terminal, as the agent sees them. */
import pLimit from 'p-limit';
import type { ApprovalChoice, ApprovalRequest, Human } from '../../agent/human.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { Colors } from '../render/colors.ts';
import { terminalText } from '../render/terminal-text.ts';
import { askChoice, askText, type Choice } from './question-panel.ts';
import type { Screen } from './screen.ts';

export interface TerminalHuman extends Human {
  /** True while a question is open. */
  readonly asking: boolean;
  /** Ctrl+C: the open question is answered with no. */
  cancelOpenQuestion(): void;
  /** Once, always, or no. */
  confirm(question: string): Promise<'once' | 'always' | 'cancel'>;
}

export interface HumanOptions {
  readonly screen: Screen;
  readonly colors: Colors;
  /** `approvals.timeout` and `clarify.timeout`, in seconds. */
  readonly approvalSeconds: number;
  readonly clarifySeconds: number;
}

const secretSeconds = 120;
/** Longer commands are cut until `view` is chosen. */
const shownCommandChars = 70;

export function createTerminalHuman(options: HumanOptions): TerminalHuman {
  const { screen, colors } = options;
  const oneAtATime = pLimit(1);
  let open: AbortController | undefined;

  /** Asks when the earlier questions are answered; the answer must come within `seconds`. */
  function ask<T>(seconds: number | undefined, signal: AbortSignal, question: (signal: AbortSignal) => Promise<T>) {
    return oneAtATime(async () => {
      open = new AbortController();
      const limits = [signal, open.signal, ...(seconds === undefined ? [] : [AbortSignal.timeout(seconds * 1000)])];
      try {
        return await question(AbortSignal.any(limits));
      } finally {
        open = undefined;
      }
    });
  }

  return {
    present: true,
    approve: (request, signal) =>
      ask(options.approvalSeconds, signal, async (limit) => {
        const choice = await askApproval(screen, colors, request, options.approvalSeconds, limit);
        const timedOut =
          choice === undefined &&
          limit.aborted &&
          limit.reason instanceof DOMException &&
          limit.reason.name === 'TimeoutError';
        if (timedOut) screen.print(colors.yellow('  ⏱ Timeout — denying command'));
        return choice ?? (timedOut ? 'timeout' : 'deny');
      }).catch(() => 'deny' as const),
    clarify: (question, choices, signal) =>
      ask(options.clarifySeconds, signal, (limit) => askClarification(screen, colors, question, choices, limit)).catch(
        () => undefined,
      ),
    secret: (prompt, signal) =>
      ask(secretSeconds, signal, async (limit) => {
        const answer = await askText(screen, [colors.bold(terminalText(prompt))], { hidden: true }, limit);
        return answer === '' ? undefined : answer;
      }).catch(() => undefined),
    get asking() {
      return open !== undefined;
    },
    cancelOpenQuestion: () => open?.abort(),
    confirm: (question) =>
      ask(undefined, new AbortController().signal, async (limit) => {
        const answer = await askChoice(
          screen,
          colors,
          {
            lines: [colors.bold(terminalText(question))],
            choices: [
              { value: 'once', label: 'Approve Once' },
              { value: 'always', label: 'Always Approve', description: 'do not ask again' },
              { value: 'cancel', label: 'Cancel' },
            ],
            preselected: 2,
          },
          limit,
        );
        return answer === 'once' || answer === 'always' ? answer : 'cancel';
      }),
  };
}

async function askApproval(
  screen: Screen,
  colors: Colors,
  request: ApprovalRequest,
  seconds: number,
  signal: AbortSignal,
): Promise<ApprovalChoice | undefined> {
  const command = escapeForDisplay(request.command);
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
    const answer = await askChoice(
      screen,
      colors,
      {
        lines: [
          colors.yellow(`⚠ This command needs your approval: ${request.reasons.map(terminalText).join('; ')}`),
          `  ${whole ? command : `${command.slice(0, shownCommandChars)}…`}`,
          colors.dim(`  No answer within ${seconds} s means no.`),
        ],
        choices,
        preselected: choices.findIndex((choice) => choice.value === 'deny'),
      },
      signal,
    );
    if (answer === 'view') {
      whole = true;
      continue;
    }
    return answer === 'once' || answer === 'session' || answer === 'always' || answer === 'deny' ? answer : undefined;
  }
}

async function askClarification(
  screen: Screen,
  colors: Colors,
  question: string,
  choices: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const lines = [colors.bold(`? ${terminalText(question)}`)];
  if (choices.length > 0) {
    const picked = await askChoice(
      screen,
      colors,
      {
        lines,
        choices: [
          ...choices.map((choice, index) => ({ value: String(index), label: terminalText(choice) })),
          { value: 'other', label: 'Other', description: 'type an answer' },
        ],
        preselected: 0,
      },
      signal,
    );
    if (picked !== 'other') return picked === undefined ? undefined : choices[Number(picked)];
  }
  return await askText(screen, lines, { hidden: false }, signal);
}
