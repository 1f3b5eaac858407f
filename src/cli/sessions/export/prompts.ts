/** `--only user-prompts`: what the person said, and nothing else. */
import { type RecordedMessage, type SessionRecord, utcTime } from './record.ts';

/** A line of JSON for each. */
export function promptLines(session: SessionRecord): string {
  return promptsOf(session)
    .map(({ id, timestamp, text }, at) => {
      const created = utcTime(Math.floor(timestamp));
      const line = { session_id: session.id, index: at + 1, created_at: created, role: 'user', text, message_id: id };
      return `${JSON.stringify(line)}\n`;
    })
    .join('');
}

export function promptPage(session: SessionRecord): string {
  const facts = [
    `# User prompts for session ${session.id}`,
    `- Session ID: \`${session.id}\``,
    `- Source: \`${session.source}\``,
    ...(session.model === null ? [] : [`- Model: \`${session.model}\``]),
    ...(session.title === null ? [] : [`- Title: ${session.title}`]),
    `- Started: ${utcTime(Math.floor(session.started_at))}`,
    `- Messages: ${session.messages.length}`,
  ];
  const prompts = promptsOf(session).map(({ id, timestamp, text }, at) => {
    return `\n## ${at + 1}. ${utcTime(Math.floor(timestamp))}\nMessage ID: \`${id}\`\n\n${text}\n`;
  });
  return `${facts.join('\n')}\n${prompts.join('')}`;
}

function promptsOf({ messages }: SessionRecord) {
  return messages.flatMap(({ role, id, timestamp, content }) =>
    role === 'user' ? [{ id, timestamp, text: textOf(content) }] : [],
  );
}

function textOf(content: RecordedMessage['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? JSON.stringify(part)).join('\n');
}
