/** What a person is at, where they name no topic: their latest requests. */
import { type HistoryMessage, isSaid, textOf } from '../../llm/message.ts';

const maxRequests = 3;
const maxRequestChars = 260;
const maxChars = 700;

/** At most 700 characters of the last three requests, oldest first; undefined when there is none. */
export function recentFocus(history: readonly HistoryMessage[]): string | undefined {
  const requests = history
    .filter(isSaid)
    .map(({ content }) => textOf(content).replaceAll(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
    .slice(-maxRequests)
    .map((text) => `- ${cut(text, maxRequestChars)}`);
  return requests.length === 0 ? undefined : cut(['what the user asked for lately:', ...requests].join('\n'), maxChars);
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`;
}
