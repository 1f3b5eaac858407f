/** Asks in the chat before a command takes something away. */
import type { ConfirmSetting } from '../../commands/command.ts';
import type { Change } from '../../config/edit.ts';
import { readConfirmation } from '../chats/answer-words.ts';
import type { OpenChat } from '../chats/chat-deps.ts';
import type { Question } from '../chats/prompt-desk.ts';
import type { Gateway } from '../gateway.ts';
import type { MessageEvent } from '../platform/message-event.ts';

export interface ConfirmPlace {
  readonly chat: OpenChat;
  readonly event: MessageEvent;
  readonly gateway: Gateway;
  readonly save: (changes: readonly Change[]) => Promise<void>;
}

const options = [
  { id: 'once', label: 'Approve Once' },
  { id: 'always', label: 'Always Approve' },
  { id: 'cancel', label: 'Cancel' },
];
const waitMs = 60_000;

/** The setting says whether it asks at all; "always" switches that off for good. */
export async function confirmInChat(
  question: string,
  setting: ConfirmSetting = 'destructive_slash_confirm',
  { chat, event, gateway, save }: ConfirmPlace,
): Promise<boolean> {
  const { config } = gateway.program.options.config;
  if (!config.approvals[setting] || gateway.confirmedAlways.has(setting)) return true;
  const { source, message_id: replyTo } = event;
  const asked: Question = {
    sessionKey: chat.sessionKey,
    platform: source.platform,
    to: { chatId: source.chat_id, threadId: source.thread_id },
    kind: 'confirmation',
    text: question,
    about: `${event.text}\n${question}`,
    options,
    howTo: 'Answer yes, always or no.',
    person: source.user_id,
    ...(replyTo === null ? {} : { replyTo }),
    read: readConfirmation,
  };
  const outcome = (answer: string | undefined): string =>
    options.find(({ id }) => id === answer)?.label ?? 'Not answered; nothing was changed.';
  const answer = await gateway.desk.ask(asked, outcome, AbortSignal.timeout(waitMs));
  if (answer === 'always') {
    gateway.confirmedAlways.add(setting);
    await save([{ path: ['approvals', setting], value: false }]);
  }
  return answer === 'once' || answer === 'always';
}
