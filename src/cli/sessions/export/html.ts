/** Sessions as one page for a browser: it needs nothing from the network and runs nothing. */
import { type RecordedMessage, type SessionRecord, utcTime } from './record.ts';

export function pageBegin(count: number): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${count === 1 ? 'A conversation' : `${count} conversations`}</title>
<style>${style}</style>
</head>
<body>
`;
}

export const pageEnd = '</body>\n</html>\n';

export function sessionSection(session: SessionRecord): string {
  const facts: readonly (readonly [string, string | null])[] = [
    ['Session', session.id],
    ['Source', session.source],
    ['Model', session.model],
    ['Directory', session.cwd],
    ['Branch', session.git_branch],
    ['Began', utcTime(Math.floor(session.started_at))],
    ['Ended', session.ended_at === null ? null : utcTime(Math.floor(session.ended_at))],
    ['Messages', String(session.messages.length)],
  ];
  const rows = facts.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [`<dt>${name}</dt><dd>${escaped(value)}</dd>`],
  );
  return [
    '<main>',
    `<h1>${escaped(session.title ?? session.id)}</h1>`,
    `<dl>${rows.join('')}</dl>`,
    ...session.messages.map(messageArticle),
    '</main>\n',
  ].join('\n');
}

function messageArticle({ role, tool_name: tool, timestamp, content, tool_calls: calls }: RecordedMessage): string {
  const kind = ['user', 'assistant', 'tool', 'system'].includes(role) ? role : 'other';
  const time = utcTime(Math.floor(timestamp));
  const speaker = escaped(tool === null ? role : `${role} · ${tool}`);
  const said = textOf(content);
  const body = said === '' ? '' : `<pre>${escaped(said)}</pre>`;
  // What a tool said can be long; it is there for whoever wants to read it.
  const shown = role === 'tool' && body !== '' ? `<details><summary>Result</summary>${body}</details>` : body;
  const called = (calls ?? []).map(
    ({ function: { name, arguments: given } }) =>
      `<details><summary>Call: ${escaped(name)}</summary><pre>${escaped(given)}</pre></details>`,
  );
  return `<article class="${kind}"><header>${speaker} <time datetime="${time}">${time}</time></header>${shown}${called.join('')}</article>`;
}

function textOf(content: RecordedMessage['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? `[${part.type}]`).join('\n');
}

/** Control characters other than line ends and tabs are shown as the sign for what cannot be shown. */
function escaped(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[&<>"]|(?![\n\t])\p{Cc}/gu, (sign) => entities.get(sign) ?? '\uFFFD');
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; font-size: 0.9rem; }
dt { opacity: 0.7; }
dd { margin: 0; overflow-wrap: anywhere; }
article { border-left: 4px solid #888; margin: 1rem 0; padding: 0.25rem 1rem; }
article.user { border-color: #2a7; }
article.assistant { border-color: #37c; }
header { font-weight: 600; }
time { font-weight: 400; opacity: 0.6; font-size: 0.85rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 0.9rem/1.45 ui-monospace, monospace; }
summary { cursor: pointer; }
`;
