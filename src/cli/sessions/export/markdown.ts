/** A session as a page of Markdown, in the layout of the original's `md` and `qmd` exports. */
import { createHash } from 'node:crypto';
import { type RecordedMessage, type SessionRecord, utcTime } from './record.ts';

export interface MarkdownOptions {
  readonly format: 'md' | 'qmd';
  /** Unix seconds. */
  readonly exportedAt: number;
  /** Name the sessions that the conversation was compacted from. */
  readonly logical: boolean;
}

/** `segments`: the session, or all that its conversation went through, the first one first; never empty. */
export function markdownOf(
  session: SessionRecord,
  segments: readonly SessionRecord[],
  { format, exportedAt, logical }: MarkdownOptions,
): string {
  const count = segments.reduce((sum, { messages }) => sum + messages.length, 0);
  const calls = segments.reduce((sum, { tool_call_count: own }) => sum + (own ?? 0), 0);
  const at = utcTime(exportedAt);
  const ids = segments.map(({ id }) => id);
  const facts: readonly (readonly [string, unknown])[] = [
    ['session_id', session.id],
    ['title', session.title],
    ['source', session.source],
    ['created_at', utcTime(session.started_at)],
    ['updated_at', ''],
    ['ended_at', session.ended_at === null ? '' : utcTime(session.ended_at)],
    ['model', session.model],
    ['provider', session.billing_provider],
    ['cwd', session.cwd],
    ['archived', session.archived === 1],
    ['message_count', count],
    ['tool_call_count', calls],
    ...(logical ? ([['lineage_session_ids', ids]] as const) : []),
    ['format', format],
    ['exported_at', at],
    ['exporter', 'hermes sessions export (md/qmd) v1'],
  ];
  const head = facts.map(([name, value]) => `${name}: ${json(value)}\n`).join('');
  const parts = [
    `# ${session.title ?? session.id}`,
    `Session ID: \`${session.id}\``,
    `Source: \`${session.source}\``,
    ...(session.cwd === null ? [] : [`Working directory: \`${session.cwd}\``]),
    '## Messages',
    segments.map((segment) => segmentText(segment, segments.length > 1)).join('\n\n\n'),
  ];
  const body = `---\n${head}---\n\n${parts.join('\n\n')}`;
  const proof = [
    `- Session id: \`${session.id}\``,
    `- Exported messages: \`${count}\``,
    `- Source DB message count at export: \`${count}\``,
    `- Exported at: \`${at}\``,
    `- SHA256 of exported body: \`${sha256(body)}\``,
  ];
  return `${body}\n\n## Export verification\n\n${proof.join('\n')}\n`;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function segmentText({ id, messages }: SessionRecord, named: boolean): string {
  const said = messages.map(messageText).join('\n\n\n');
  return named ? `## Compression segment: ${id}\n\n${said}` : said;
}

function messageText({ role, tool_name: tool, timestamp, content, tool_calls: calls }: RecordedMessage): string {
  const speaker = `${role.slice(0, 1).toUpperCase()}${role.slice(1)}${tool === null ? '' : ` — ${tool}`}`;
  const text = typeof content === 'string' ? content.trimEnd() : content === null ? '' : fenced(content);
  const called =
    calls === null || calls.length === 0 ? '' : `${text === '' ? '' : '\n\n'}\n\n## Tool calls\n\n${fenced(calls)}`;
  return `### ${speaker} — ${utcTime(timestamp)}\n\n${text}${called}`;
}

function fenced(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** A list with a space behind each comma, as the original has it. */
function json(value: unknown): string {
  return Array.isArray(value) ? `[${value.map((entry) => JSON.stringify(entry)).join(', ')}]` : JSON.stringify(value);
}
