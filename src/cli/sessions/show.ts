/** `hermes sessions show` */
import { counted } from '../../lib/counted.ts';
import { type HistoryMessage, textOf } from '../../llm/message.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { StoredMessage } from '../../sessions/messages.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { CliContext } from '../command.ts';
import { localTime } from './times.ts';
import { withSession } from './with-store.ts';

const MAX_ARGUMENTS = 200;

export async function showSession(context: CliContext, reference: string): Promise<void> {
  await withSession(context, reference, async (store, session) => {
    const messages = await store.messages.list(session.id);
    context.io.stdout.write(heading(session));
    for (const message of messages) context.io.stdout.write(`\n${paragraph(message)}\n`);
  });
}

function heading(session: SessionRow): string {
  const facts = [
    ['Session', session.id],
    ['Title', session.title],
    ['Source', session.source],
    ['Model', session.model],
    ['Started', localTime(session.started_at)],
    ['Ended', session.ended_at === null ? null : `${localTime(session.ended_at)} (${session.end_reason ?? 'unknown'})`],
    ['Parent', session.parent_session_id],
    ['Messages', `${session.message_count} (${counted(session.tool_call_count, 'tool call')})`],
  ] as const;
  return facts
    .flatMap(([name, value]) => (value === null ? [] : [`${`${name}:`.padEnd(10)}${shown(value, true)}\n`]))
    .join('');
}

function paragraph({ timestamp, message }: StoredMessage): string {
  const text = textOf(message.content);
  const lines = [
    `[${localTime(timestamp)}] ${speaker(message)}`,
    ...(text === '' ? [] : [shown(text.trimEnd(), false)]),
    ...images(message),
    ...toolCalls(message),
  ];
  return lines.join('\n');
}

function speaker(message: HistoryMessage): string {
  if (message.role !== 'tool' || message.tool_name === undefined) return message.role;
  return `tool ${shown(message.tool_name, true)}`;
}

function toolCalls(message: HistoryMessage): string[] {
  if (message.role !== 'assistant') return [];
  return (message.tool_calls ?? []).map(({ function: call }) => {
    const given = shown(call.arguments, true);
    const short = given.length > MAX_ARGUMENTS ? `${given.slice(0, MAX_ARGUMENTS)}…` : given;
    return `→ ${shown(call.name, true)} ${short}`;
  });
}

function images(message: HistoryMessage): string[] {
  if (message.content === null || typeof message.content === 'string') return [];
  return message.content.flatMap((part) => (part.type === 'image_url' ? ['[image]'] : []));
}

function shown(text: string, singleLine: boolean): string {
  return escapeForDisplay(text, { singleLine });
}
