/** The person at the terminal, as the agent sees them. */
import pLimit from 'p-limit';
import {
  type ApprovalChoice,
  type ApprovalRequest,
  type ClarifyAnswer,
  type Human,
  isApprovalChoice,
} from '../../agent/human.ts';
import type { AtWork } from '../../commands/background-tasks.ts';
import type { Picked, PickList } from '../../commands/pick.ts';
import { counted } from '../../lib/counted.ts';
import type { Log } from '../../lib/log.ts';
import type { CommandPaths } from '../../safety/commands/paths.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { LeaseHolder } from '../../sessions/leases.ts';
import { describeHolder } from '../../worker/lease-words.ts';
import type { LeaseChoice } from '../../worker/worker.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine, terminalText } from '../render/terminal-text.ts';
import { approvalChoices } from './approval-choices.ts';
import { askInWords } from './ask-in-words.ts';
import type { ShownCommand } from './dangerous-part.ts';
import type { ChatScreen, ChoicePanel } from './chat-screen.ts';

export interface TerminalHumanOptions {
  readonly screen: ChatScreen;
  readonly colors: Colors;
  /** `approvals.timeout` and `clarify.timeout`, in seconds. */
  readonly approvalSeconds: number;
  readonly clarifySeconds: number;
  /** Until a command that would lose something is not run; default: two minutes. */
  readonly confirmSeconds?: number;
  readonly log: Log;
  /** What commands are judged against, to mark what is dangerous in them. */
  readonly paths: CommandPaths;
  /** `display.persist_prompts`: a line of each answered question stays in the conversation. */
  readonly persistPrompts: boolean;
  /** A question stands on the screen, or was answered (undefined). */
  readonly onAsking?: (question: string | undefined) => void;
  /** The agent waits for an answer, or does not any more. */
  readonly onAsked?: (waits: boolean) => void;
  /** Hears why a command was refused. */
  readonly onRefused?: (command: string, why: string) => void;
}

const approvalAnswers: Readonly<Record<ApprovalChoice, string>> = {
  once: 'yes, once',
  session: 'yes, session',
  always: 'yes, always',
  'always command': 'yes, always this command',
  'always program': 'yes, always this program',
  deny: 'no',
  timeout: 'no answer',
};
const maxNoteChars = 120;
const secretSeconds = 120;
const usualConfirmSeconds = 120;
/** Longer commands are cut until `view` is chosen. */
const shownCommandChars = 70;

/** Asks one question at a time, each in a panel. */
export class TerminalHuman implements Human {
  readonly present = true;
  readonly clarifies = true;
  readonly #options: TerminalHumanOptions;
  readonly #oneAtATime = pLimit(1);
  #open: AbortController | undefined;
  /** What is only looked at gives way to a question. */
  #watching: AbortController | undefined;
  #askedBy: 'agent' | 'command' = 'command';

  constructor(options: TerminalHumanOptions) {
    this.#options = options;
  }

  /** Who asks what is open now; undefined when nothing is. */
  get askedBy(): 'agent' | 'command' | undefined {
    return this.#open === undefined ? undefined : this.#askedBy;
  }

  /** Ctrl+C: the open question is answered with no. */
  cancelOpenQuestion(): void {
    this.#open?.abort();
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice> {
    const { approvalSeconds, screen, colors } = this.#options;
    return await this.#ask(approvalSeconds, signal, 'deny', async (limit) => {
      this.#options.onAsking?.(`Hermes needs your approval: ${request.reasons.join('; ')}`);
      const choice = (await this.#askApproval(request, limit)) ?? 'deny';
      const { aborted, reason } = limit;
      if (!aborted || !(reason instanceof DOMException) || reason.name !== 'TimeoutError') {
        this.#note('⚠', request.command, approvalAnswers[choice]);
        return choice;
      }
      screen.print(colors.yellow('  ⏱ Timeout — denying command'));
      return 'timeout';
    });
  }

  async clarify(question: string, choices: readonly string[], signal: AbortSignal): Promise<ClarifyAnswer> {
    const { clarifySeconds, screen, colors } = this.#options;
    const unasked: ClarifyAnswer = { unanswered: 'unasked' };
    return await this.#ask(clarifySeconds, signal, unasked, async (limit): Promise<ClarifyAnswer> => {
      this.#options.onAsking?.(question);
      const said = (await askInWords(this.#options, { question, choices }, limit))?.trim();
      if (said !== undefined && said !== '') {
        this.#note('?', question, said);
        return { said };
      }
      if (!isTimeout(limit)) {
        this.#note('?', question, 'no answer');
        return { unanswered: 'cancelled' };
      }
      screen.print(colors.yellow(`  ⏱ No answer within ${clarifySeconds} s — the agent decides`));
      return { unanswered: 'timeout' };
    });
  }

  async secret(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    return await this.#ask(secretSeconds, signal, undefined, async (limit) => {
      const { screen, colors } = this.#options;
      const answer = await screen.ask.text([colors.bold(terminalText(prompt))], { hidden: true }, limit);
      return answer === '' ? undefined : answer;
    });
  }

  /** Once, always, or no; whoever does not answer means no. */
  async confirm(question: string): Promise<'once' | 'always' | 'cancel'> {
    const { confirmSeconds = usualConfirmSeconds } = this.#options;
    const choices = [
      { value: 'once', label: 'yes, once' },
      { value: 'always', label: 'yes, always', description: 'and never ask again before something is lost' },
      { value: 'cancel', label: 'no' },
    ];
    const answer = await this.#choose(question, { choices, preselected: 2, seconds: confirmSeconds });
    return answer === 'once' || answer === 'always' ? answer : 'cancel';
  }

  /** What was chosen from a list that can be searched. */
  async pick(list: PickList): Promise<Picked | undefined> {
    const { screen } = this.#options;
    return await this.#ask(undefined, undefined, undefined, (limit) => screen.ask.pick(list, limit));
  }

  /** Shows what is at work until it is closed or something is asked; the id of who is to be spoken to. */
  async watch(work: AtWork): Promise<string | undefined> {
    const { screen } = this.#options;
    const watching = new AbortController();
    return await this.#ask(undefined, undefined, undefined, async (limit) => {
      if (this.#oneAtATime.pendingCount > 0) return undefined;
      this.#watching = watching;
      const said = await screen.ask.watch?.(work, AbortSignal.any([limit, watching.signal]));
      this.#watching = undefined;
      return said;
    });
  }

  /** A line that was typed; undefined for none. */
  async askLine(question: string): Promise<string | undefined> {
    const { screen, colors } = this.#options;
    return await this.#ask(undefined, undefined, undefined, async (limit) => {
      const answer = await screen.ask.text([colors.bold(terminalText(question))], { hidden: false }, limit);
      return answer?.trim() === '' ? undefined : answer?.trim();
    });
  }

  /** What to do about a conversation that is continued elsewhere; undefined when it is better left alone. */
  async chooseLease(by: LeaseHolder): Promise<LeaseChoice | undefined> {
    const choices = [
      { value: 'wait', label: 'yes, wait', description: 'go on here when it is free' },
      { value: 'take_over', label: 'yes, take over', description: 'go on here at once; nothing more is stored there' },
      { value: 'read', label: 'yes, read only', description: 'show it and send nothing' },
      { value: 'cancel', label: 'no', description: 'leave it' },
    ];
    const answer = await this.#choose(describeHolder(by), { choices, preselected: 0 });
    return answer === 'wait' || answer === 'take_over' || answer === 'read' ? answer : undefined;
  }

  /** The panel goes; what was asked and answered stays. */
  #note(mark: string, asked: string, answer: string): void {
    const { persistPrompts, screen, colors } = this.#options;
    if (!persistPrompts) return;
    screen.print(colors.dim(`  ${mark} ${oneLine(asked, maxNoteChars)} → ${oneLine(answer, maxNoteChars)}`));
  }

  async #choose(
    question: string,
    { seconds, ...panel }: Omit<ChoicePanel, 'lines'> & { readonly seconds?: number },
  ): Promise<string | undefined> {
    const { screen, colors } = this.#options;
    const lines = [colors.bold(terminalText(question))];
    return await this.#ask(seconds, undefined, undefined, (limit) => screen.ask.choose({ ...panel, lines }, limit));
  }

  /**
   * Asks when the earlier questions are answered; the answer must come within `seconds`. A turn ends its questions with
   * `signal`; without one, a command asks.
   */
  async #ask<Answer, Otherwise>(
    seconds: number | undefined,
    signal: AbortSignal | undefined,
    otherwise: Otherwise,
    question: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer | Otherwise> {
    this.#watching?.abort();
    return await this.#oneAtATime(async () => {
      this.#open = new AbortController();
      this.#askedBy = signal === undefined ? 'command' : 'agent';
      const limits = signal === undefined ? [this.#open.signal] : [signal, this.#open.signal];
      if (seconds !== undefined) limits.push(AbortSignal.timeout(seconds * 1000));
      if (signal !== undefined) this.#options.onAsked?.(true);
      try {
        return await question(AbortSignal.any(limits));
      } catch (error) {
        this.#options.log.error('a question could not be asked', error);
        return otherwise;
      } finally {
        this.#open = undefined;
        this.#options.onAsked?.(false);
        this.#options.onAsking?.(undefined);
      }
    });
  }

  async #askApproval(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice | undefined> {
    const { screen, paths } = this.#options;
    const { reasons, keys } = request;
    const { showCommand } = await import('./dangerous-part.ts');
    const part = showCommand(request.command, keys, paths);
    const isWhole = part.hidden === 0 && part.lines.every(({ text }) => text.length <= shownCommandChars);
    let whole = isWhole && part.lines.length <= 1;
    for (;;) {
      const shown = whole ? [`  ${escapeForDisplay(request.command)}`] : this.#partLines(part);
      const choices = approvalChoices(reasons.map(terminalText).join('; '), { ...request, whole });
      const lines = [...this.#approvalHead(request), ...shown, ...this.#approvalFoot(request)];
      const preselected = choices.findIndex((choice) => choice.value === 'deny');
      const answer = await screen.ask.choose({ lines, choices, preselected }, signal);
      if (answer === 'why') return await this.#sayWhy(lines, request, signal);
      if (answer !== 'view') return isApprovalChoice(answer) ? answer : undefined;
      whole = true;
    }
  }

  #approvalHead({ reasons }: ApprovalRequest): string[] {
    return [this.#options.colors.yellow(`⚠ This needs your approval: ${reasons.map(terminalText).join('; ')}`)];
  }

  #approvalFoot({ sources, reasons, mayRemember, smartDenied }: ApprovalRequest): string[] {
    const { colors, approvalSeconds } = this.#options;
    const from = sources.map((source) => escapeForDisplay(source, { singleLine: true })).join(', ');
    return [
      ...(from === '' ? [] : [colors.yellow(`  text from: ${from}`)]),
      ...(smartDenied === true ? [colors.yellow('  Smart approval said no to it.')] : []),
      ...(mayRemember
        ? [
            colors.dim(
              `  “Always” allows every command of the kind “${reasons.map(terminalText).join('; ')}”, in every conversation, until you take it back with /permissions.`,
            ),
          ]
        : []),
      colors.dim(`  No answer within ${approvalSeconds} s means no.`),
    ];
  }

  #partLines({ lines, hidden }: ShownCommand): string[] {
    const { colors } = this.#options;
    const shown = lines.map(({ text, dangerous }) => {
      const safe = escapeForDisplay(text.length > shownCommandChars ? `${text.slice(0, shownCommandChars)}…` : text);
      return dangerous ? colors.red(`▶ ${safe}`) : `  ${safe}`;
    });
    return hidden === 0 ? shown : [...shown, colors.dim(`  … and ${counted(hidden, 'other part')}`)];
  }

  /** The reason reaches the model beside the refusal. */
  async #sayWhy(lines: readonly string[], { command }: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice> {
    const why = await this.#options.screen.ask.text([...lines, 'Why not?'], { hidden: false }, signal);
    if (why !== undefined && why.trim() !== '') this.#options.onRefused?.(command, why.trim());
    return 'deny';
  }
}

function isTimeout({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof DOMException && reason.name === 'TimeoutError';
}
