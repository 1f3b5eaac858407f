/** Asks the person whose message is being answered, in their chat. */
import type { ApprovalAnswer, ApprovalRequest, ClarifyAnswer, Human } from '../../agent/human.ts';
import { isApprovalChoice } from '../../agent/human.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { PromptOption } from '../platform/adapter.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { denialIn, isForAll, readApproval } from './answer-words.ts';
import type { PromptDesk, Question } from './prompt-desk.ts';

export interface ChatHumanOptions {
  readonly sessionKey: string;
  readonly desk: PromptDesk;
  /** Milliseconds. */
  readonly approvalMs: number;
  readonly clarifyMs: number;
  /** The message that is being answered. */
  current(): MessageEvent | undefined;
}

const shownChars = 2500;
const maxLabelChars = 60;
const maxOutcomeChars = 300;
const other: PromptOption = { id: 'other-words', label: 'In my own words' };

export class ChatHuman implements Human {
  readonly clarifies = true;
  readonly #options: ChatHumanOptions;

  constructor(options: ChatHumanOptions) {
    this.#options = options;
  }

  get present(): boolean {
    const event = this.#options.current();
    // News of background work was said by nobody.
    return event !== undefined && event.internal !== true;
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const options = approvalOptions(request);
    const question = this.#question(approvalText(request), options, {
      howTo: `Answer ${options.map(({ id }) => `/${id === 'deny' ? 'deny' : `approve ${id === 'once' ? '' : id}`.trim()}`).join(', ')}.`,
      kind: 'approval',
      about: JSON.stringify([request.tool, request.command, request.folder ?? '']),
      read: (text) => readApproval(text, options),
      forAll: isForAll,
    });
    if (question === undefined) return 'deny';
    const timeout = AbortSignal.timeout(this.#options.approvalMs);
    const answer = await this.#options.desk.ask(question, approvalOutcome, AbortSignal.any([signal, timeout]));
    // Where it could not be asked, or everything ends, nobody has said no.
    if (answer === undefined) return signal.aborted ? 'deny' : 'timeout';
    const reason = denialIn(answer);
    if (reason !== undefined && reason !== '') return { deny: reason };
    return isApprovalChoice(answer) ? answer : 'deny';
  }

  async clarify(text: string, choices: readonly string[], signal: AbortSignal): Promise<ClarifyAnswer> {
    const timeout = AbortSignal.timeout(this.#options.clarifyMs);
    const until = AbortSignal.any([signal, timeout]);
    let answer = await this.#askInWords(text, choices, until);
    if (answer === other.id) answer = await this.#askInWords(text, [], until);
    if (answer !== undefined) return { said: answer };
    if (signal.aborted) return { unanswered: 'cancelled' };
    return { unanswered: timeout.aborted ? 'timeout' : 'unasked' };
  }

  /** The words of the choice, or what was typed; the id of `other` when that was pressed. */
  async #askInWords(text: string, choices: readonly string[], until: AbortSignal): Promise<string | undefined> {
    const options = choices.map((choice, index) => ({
      id: `choice-${index}`,
      label: shortened(choice, maxLabelChars),
    }));
    const meant = (answer: string): string => choices[options.findIndex(({ id }) => id === answer)] ?? answer;
    const listed = choices.map((choice, index) => `${index + 1}. ${escapeForDisplay(choice)}`).join('\n');
    const asked = `❓ ${escapeForDisplay(text)}`;
    // What fits on the buttons need not stand above them.
    const isCut = choices.some((choice) => choice.length > maxLabelChars);
    const question = this.#question(
      isCut ? `${asked}\n\n${listed}` : asked,
      choices.length === 0 ? [] : [...options, other],
      {
        kind: 'question',
        about: JSON.stringify([text, ...choices]),
        howTo:
          choices.length === 0
            ? 'Answer with your next message.'
            : `${isCut ? '' : `${listed}\n\n`}Answer with a number, or in your own words.`,
        read: (typed) => (typed.startsWith('/') ? undefined : (choices[Number(typed.trim()) - 1] ?? typed)),
      },
    );
    if (question === undefined) return undefined;
    const outcome = (answer: string | undefined): string => {
      if (answer === undefined) return '⌛ Not answered.';
      return answer === other.id
        ? `✏️ ${other.label}`
        : `✅ ${shortened(escapeForDisplay(meant(answer)), maxOutcomeChars)}`;
    };
    const answer = await this.#options.desk.ask(question, outcome, until);
    return answer === undefined ? undefined : meant(answer);
  }

  /** A password in a chat would be kept by the platform, and shown to everybody in it. */
  secret(): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  #question(
    text: string,
    options: readonly PromptOption[],
    how: Pick<Question, 'howTo' | 'read' | 'forAll' | 'kind' | 'about'>,
  ): Question | undefined {
    const event = this.#options.current();
    if (event === undefined || event.internal === true) return undefined;
    const { source, message_id: id } = event;
    return {
      sessionKey: this.#options.sessionKey,
      platform: source.platform,
      to: { chatId: source.chat_id, threadId: source.thread_id },
      text,
      options,
      person: source.user_id,
      ...(id === null ? {} : { replyTo: id }),
      ...how,
    };
  }
}

function approvalText({ tool, command, folder, reasons, sources, scopes }: ApprovalRequest): string {
  const lines = [
    `⚠️ **Approval needed** — ${tool}`,
    `\`\`\`\n${shortened(escapeForDisplay(command), shownChars).replaceAll('```', "'''")}\n\`\`\``,
    ...(folder === undefined ? [] : [`In ${escapeForDisplay(folder)}`]),
    ...reasons.map((reason) => `• ${escapeForDisplay(reason)}`),
    ...(sources.length === 0
      ? []
      : [`Text from outside in this conversation: ${sources.map((each) => escapeForDisplay(each)).join(', ')}`]),
    ...(scopes === undefined ? [] : [`"Always" for a command means ${escapeForDisplay(scopes.command)}.`]),
  ];
  return lines.join('\n');
}

function approvalOptions({ mayRemember, smartDenied }: ApprovalRequest): readonly PromptOption[] {
  const once = { id: 'once', label: 'Once' };
  const deny = { id: 'deny', label: 'Deny' };
  if (smartDenied === true) return [once, deny];
  const session = { id: 'session', label: 'Session' };
  return mayRemember ? [once, session, { id: 'always', label: 'Always' }, deny] : [once, session, deny];
}

const outcomes: ReadonlyMap<string | undefined, string> = new Map([
  ['once', '✅ Approved once.'],
  ['session', '✅ Approved for this session.'],
  ['always', '✅ Approved always.'],
  ['deny', '❌ Denied.'],
]);

function approvalOutcome(answer: string | undefined): string {
  return (
    outcomes.get(answer !== undefined && denialIn(answer) !== undefined ? 'deny' : answer) ??
    '⌛ Not answered; it was not run.'
  );
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
