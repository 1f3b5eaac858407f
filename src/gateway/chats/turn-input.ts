/** What the agent is given of a message: its text with what it quotes, its pictures, and notes about its files. */
import type { TurnInput } from '../../agent/agent.ts';
import { hookSource } from '../../agent/hooks.ts';
import type { ContentPart } from '../../llm/message.ts';
import { mergeSources, type Source } from '../../llm/source.ts';
import { observedLine, withReply, withSender, withTime } from '../context/message-lines.ts';
import type { Meant } from './meant.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { SessionSource } from '../platform/session-source.ts';

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
  /** As the model may know the sender. */
  readonly idOf: (source: SessionSource) => string | null;
  /** Several people speak in this session: each message names its sender. */
  readonly shared: boolean;
  readonly files: readonly ReceivedFile[];
  /** Messages that were not for the agent, and came before this one. */
  readonly observed: readonly MessageEvent[];
  /** For the agent, before the message: what it should know of the conversation. */
  readonly note?: string | undefined;
  /** What the person's words stand for, for the model. */
  readonly meant?: Meant | undefined;
  /** The moment at which it was sent is told; stored is the message without it. */
  readonly times: MessageTimes;
}

/** Text of other people is marked as theirs in the sources. */
export function turnInput(event: MessageEvent, options: TurnInputOptions): TurnInput {
  const { idOf, shared, files, observed, note = '', meant } = options;
  const { source, text, reply_to: quoted, sources: own } = event;
  // Nobody can see into what a background process prints.
  if (event.internal === true) return { content: text, kind: 'note', sources: own ?? [{ from: 'program' }] };
  const earlier = observed.map(({ text: said, source: by }) =>
    observedLine(said, { ...(by.user_name === null ? {} : { name: by.user_name }), id: idOf(by) ?? '' }),
  );
  const seen = [event.channel_context ?? '', ...earlier].filter((line) => line.trim() !== '').join('\n');
  const images = files.flatMap(({ image }) => (image === undefined ? [] : [image]));
  const around = (words: string): string => {
    const spoken = shared && words.trim() !== '' ? withSender(words, source.user_name ?? idOf(source)) : words;
    const own = quoted?.text === undefined ? spoken : withReply(spoken, { text: quoted.text, isOwn: quoted.own });
    const earlierLines = seen === '' ? '' : `[Earlier in this chat, not addressed to you]\n${seen}`;
    const parts = [earlierLines, ...files.map(({ note: of }) => of), own];
    return parts.filter((part) => part.trim() !== '').join('\n\n');
  };
  const said = around(text);
  const timed = withTimes(around(meant?.text ?? text), event, options.times);
  const sent = note === '' ? timed : `${note}\n\n${timed}`;
  const foreign: Source[] = [
    ...(seen === '' ? [] : [{ from: 'chat', name: source.chat_name ?? source.chat_id } as const]),
    ...(quoted === undefined || quoted.own || quoted.author_id === source.user_id || quoted.text === undefined
      ? []
      : [{ from: 'chat', name: quoted.author_name ?? quoted.author_id ?? 'somebody' } as const]),
    ...(event.forwarded_from === undefined ? [] : [{ from: 'chat', name: event.forwarded_from } as const]),
    ...(event.rewritten_by === undefined ? [] : [hookSource(event.rewritten_by)]),
    ...files.flatMap(({ source: from }) => (from === undefined ? [] : [from])),
  ];
  return {
    // Where the text stands alone, what is stored of it is what was said.
    content: images.length === 0 ? said : [{ type: 'text', text: sent }, ...images],
    ...(images.length > 0 || sent === said ? {} : { sent }),
    sources: mergeSources([{ from: 'user' }], meant?.sources ?? [], foreign),
    ...(event.message_id === null ? {} : { platformMessageId: event.message_id }),
  };
}

function withTimes(text: string, { timestamp }: MessageEvent, { shown, zone }: MessageTimes): string {
  return shown ? withTime(text, new Date(timestamp), zone) : text;
}
