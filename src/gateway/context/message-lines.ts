/** What is put around a chat message before the model reads it: sender, quoted message, time. */
import { plainName } from './untrusted-name.ts';

export interface Quoted {
  readonly text: string;
  /** The quoted message was written by this program. */
  readonly isOwn?: boolean | undefined;
}

const MAX_QUOTE = 500;

/** `[Replying to: "…"]` and a blank line in front; a reply without a text quotes nothing. */
export function withReply(text: string, quoted: Quoted | undefined): string {
  const words = Array.from(quoted?.text.trim() ?? '')
    .slice(0, MAX_QUOTE)
    .join('');
  if (words === '') return text;
  const what = quoted?.isOwn === true ? 'Replying to your previous message' : 'Replying to';
  return `[${what}: "${words}"]\n\n${text}`;
}

/** `[Alice] text`, where several people write in one conversation. */
export function withSender(text: string, name: string | null | undefined): string {
  const sender = bracketed(name ?? '');
  return sender === '' ? text : `[${sender}] ${text}`;
}

/** `[Alice|12345] text`: something that was said in a group without being meant for this program. */
export function observedLine(
  text: string,
  sender: { readonly name?: string | undefined; readonly id: string },
): string {
  return `[${bracketed(sender.name ?? '') || 'unknown'}|${bracketed(sender.id)}] ${text}`;
}

/** `[Tue 2026-04-28 13:40:53 CEST]` in front. @param timeZone IANA zone; empty or absent for that of the machine */
export function withTime(text: string, time: Date, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...(timeZone === undefined || timeZone === '' ? {} : { timeZone }),
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const date = `${part('year')}-${part('month')}-${part('day')}`;
  const clock = `${part('hour')}:${part('minute')}:${part('second')}`;
  return `[${part('weekday')} ${date} ${clock} ${part('timeZoneName')}] ${text}`;
}

/** A name cannot close the brackets it stands in, nor pass for the separator. */
function bracketed(name: string): string {
  return plainName(name.replaceAll(/[[\]|]/g, ' '));
}
