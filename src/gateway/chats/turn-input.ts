/** What the agent is given of a message: its text with what it quotes, its pictures, and notes about its files. */
import type { TurnInput } from '../../agent/agent.ts';
import type { ContentPart } from '../../llm/message.ts';
import type { Source } from '../../llm/source.ts';
import { observedLine, withReply, withSender, withTime } from '../context/message-lines.ts';
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

/** Whether the model reads when messages were sent. The zone is an IANA name, empty for that of the machine. */
export interface MessageTimes {
  readonly shown: boolean;
  readonly zone: string;
}

export interface TurnInputOptions {
  /** Several people speak in this session: each message names its sender. */
  readonly shared: boolean;
  readonly files: readonly ReceivedFile[];
  /** Messages that were not for the agent, and came before this one. */
  readonly observed: readonly MessageEvent[];
  /** For the agent, before the message: what it should know of the conversation. */
  readonly note?: string | undefined;
  /** The moment at which it was sent is told; stored is the message without it. */
  readonly times: MessageTimes;
}

/** Text of other people is marked as theirs in the sources. */
export function turnInput(event: MessageEvent, options: TurnInputOptions): TurnInput {
  const { shared, files, observed, note = '' } = options;
  const { source, text, reply_to: quoted } = event;
  // Nobody can see into what a background process prints.
  if (event.internal === true) return { content: text, kind: 'note', sources: [{ from: 'program' }] };
  const earlier = observed.map(({ text: said, source: by }) =>
    observedLine(said, { ...(by.user_name === null ? {} : { name: by.user_name }), id: by.user_id ?? '' }),
  );
  const seen = [event.channel_context ?? '', ...earlier].filter((line) => line.trim() !== '').join('\n');
  const spoken = shared && text.trim() !== '' ? withSender(text, source.user_name ?? source.user_id) : text;
  const own = quoted?.text === undefined ? spoken : withReply(spoken, { text: quoted.text, isOwn: quoted.own });
  const images = files.flatMap(({ image }) => (image === undefined ? [] : [image]));
  const parts = [
    // Where the text stands alone, what is stored of it is what was said.
    images.length === 0 ? '' : note,
    seen === '' ? '' : `[Earlier in this chat, not addressed to you]\n${seen}`,
    ...files.map(({ note }) => note),
    own,
  ].filter((part) => part.trim() !== '');
  const content = parts.join('\n\n');
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
    ...sentOf(content, { note, event, times: options.times }),
    sources: [{ from: 'user' }, ...foreign],
    ...(event.message_id === null ? {} : { platformMessageId: event.message_id }),
  };
}

/** What the model reads in the place of the text; nothing where that is the text. */
function sentOf(
  content: string,
  { note, event, times }: Pick<TurnInputOptions, 'times'> & { readonly note: string; readonly event: MessageEvent },
): Pick<TurnInput, 'sent'> {
  const timed = times.shown ? withTime(content, new Date(event.timestamp), times.zone) : content;
  const sent = note === '' ? timed : `${note}\n\n${timed}`;
  return sent === content ? {} : { sent };
}
