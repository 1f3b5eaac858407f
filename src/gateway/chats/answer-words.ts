/** What people type to answer a question, as a whole message. */
import type { ChatQuestionKind } from '../../sessions/chat-questions.ts';
import { parseCommand } from '../commands/parse-command.ts';
import type { PromptOption } from '../platform/adapter.ts';

const yes: ReadonlySet<string> = new Set(['approve', 'yes', 'ok', 'okay', 'confirm', 'y', '👍']);
const no: ReadonlySet<string> = new Set(['deny', 'no', 'reject', 'cancel', 'n', '👎']);
const scopeWords: ReadonlyMap<string, string> = new Map([
  ['once', 'once'],
  ['session', 'session'],
  ['ses', 'session'],
  ['always', 'always'],
  ['permanent', 'always'],
  ['permanently', 'always'],
]);
const confirmations: ReadonlyMap<string, string> = new Map([
  ['yes', 'once'],
  ['y', 'once'],
  ['once', 'once'],
  ['always', 'always'],
  ['no', 'cancel'],
  ['n', 'cancel'],
  ['cancel', 'cancel'],
]);

/** What the model is told of a reason. */
const maxReasonChars = 280;

/** The id of an option, or `deny` with a reason behind it. Only as the whole message: a sentence with "yes" in it approves nothing. */
export function readApproval(text: string, options: readonly Pick<PromptOption, 'id'>[]): string | undefined {
  const command = parseCommand(text);
  if (command?.name === 'deny') return `deny ${reasonIn(text)}`.trim();
  if (command !== undefined && command.name !== 'approve') return undefined;
  const said = command === undefined ? text : `approve ${command.args.replace(/^all\b/i, '')}`;
  const words = said.trim().toLowerCase().replace(/\s+/g, ' ');
  if (no.has(words)) return 'deny';
  if (yes.has(words)) return 'once';
  const scope = scopeWords.get(words.replace(/^approve | approve$/, ''));
  // Who wants more than there is to give gets the most of it.
  if (scope === undefined || options.some(({ id }) => id === scope)) return scope;
  return options.some(({ id }) => id === 'session') ? 'session' : 'once';
}

/** True where an answer is for all questions that wait. */
export function isForAll(text: string): boolean {
  const { name, args } = parseCommand(text) ?? {};
  return (name === 'approve' || name === 'deny') && /^all\b/i.test(args ?? '');
}

/** What was said about a no; empty when nothing was, undefined for every other answer. */
export function denialIn(answer: string): string | undefined {
  return /^deny(?: |$)/.test(answer) ? answer.slice('deny '.length) : undefined;
}

function reasonIn(text: string): string {
  const reason = text
    .trim()
    .replace(/^\S+\s*/, '')
    .replace(/^all\b\s*/i, '');
  return reason.slice(0, maxReasonChars).toWellFormed();
}

/** `once`, `always` or `cancel`. */
export function readConfirmation(text: string): string | undefined {
  return confirmations.get(text.trim().toLowerCase());
}

/** True for what could only be meant as the answer to a question of that kind. */
export function looksLikeAnswer(kind: ChatQuestionKind, text: string): boolean {
  switch (kind) {
    case 'approval':
      return readApproval(text, []) !== undefined;
    case 'confirmation':
      return readConfirmation(text) !== undefined;
    case 'question':
      // In words of their own it is a message that can stand alone.
      return /^\d{1,2}$/.test(text.trim());
  }
}

/** What runs nothing and changes nothing, whichever question it was meant for. */
export function isNo(answer: string): boolean {
  return denialIn(answer) !== undefined || answer === 'cancel';
}
