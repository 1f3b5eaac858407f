/** What the agent is given of a message: its text with what it quotes, its pictures, and notes about its files. */
import type { TurnInput } from '../../agent/agent.ts';
import type { ContentPart } from '../../llm/message.ts';
import type { Source } from '../../llm/source.ts';
import { observedLine, withReply, withSender } from '../context/message-lines.ts';
import type { MessageEvent } from '../platform/message-event.ts';

/** A file that came with the message, brought to this machine. */
export interface ReceivedFile {
  /** Text that stands for it in the message. */
  readonly note: string;
  /** For models that see. */
  readonly image?: ContentPart;
  /** Text from outside that went into the note. */
  readonly source?: Source;
}

export interface TurnInputOptions {
  /** Several people speak in this session: each message names its sender. */
  readonly shared: boolean;
  readonly files: readonly ReceivedFile[];
  /** Messages that were not for the agent, and came before this one. */
  readonly observed: readonly MessageEvent[];
}

/** Text of other people is marked as theirs in the sources. */
export function turnInput(event: MessageEvent, { shared, files, observed }: TurnInputOptions): TurnInput {
  const { source, text, reply_to: quoted } = event;
  // Nobody can see into what a background process prints.
  if (event.internal === true) return { content: text, kind: 'note', sources: [{ from: 'program' }] };
  const earlier = observed.map(({ text: said, source: by }) =>
    observedLine(said, { ...(by.user_name === null ? {} : { name: by.user_name }), id: by.user_id ?? '' }),
  );
  const seen = [event.channel_context ?? '', ...earlier].filter((line) => line.trim() !== '').join('\n');
  const spoken = shared && text.trim() !== '' ? withSender(text, source.user_name ?? source.user_id) : text;
  const own = quoted?.text === undefined ? spoken : withReply(spoken, { text: quoted.text, isOwn: quoted.own });
  const parts = [
    seen === '' ? '' : `[Earlier in this chat, not addressed to you]\n${seen}`,
    ...files.map(({ note }) => note),
    own,
  ].filter((part) => part.trim() !== '');
  const content = parts.join('\n\n');
  const images = files.flatMap(({ image }) => (image === undefined ? [] : [image]));
  const foreign: Source[] = [
    ...(seen === '' ? [] : [{ from: 'chat', name: source.chat_name ?? source.chat_id } as const]),
    ...(quoted === undefined || quoted.own || quoted.author_id === source.user_id || quoted.text === undefined
      ? []
      : [{ from: 'chat', name: quoted.author_name ?? quoted.author_id ?? 'somebody' } as const]),
    ...(event.forwarded_from === undefined ? [] : [{ from: 'chat', name: event.forwarded_from } as const]),
    ...files.flatMap(({ source: from }) => (from === undefined ? [] : [from])),
  ];
  return {
    content: images.length === 0 ? content : [{ type: 'text', text: content }, ...images],
    sources: [{ from: 'user' }, ...foreign],
    ...(event.message_id === null ? {} : { platformMessageId: event.message_id }),
  };
}
