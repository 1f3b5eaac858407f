/** Names the messages that a line of the gateway is about, where replying to one of them does not say it. */

/** What a turn gathers at most, and a few that came while it ran. */
const most = 60;
const shownChars = 60;

/** The beginning of what was said, on one line. */
export function nameOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return 'a message without words';
  return line.length <= shownChars ? `“${line}”` : `“${line.slice(0, shownChars).toWellFormed()}…”`;
}

/** `names` as `nameOf` makes them; one alone is named by the reply itself. */
export function withNames(text: string, names: readonly string[]): string {
  if (names.length < 2) return text;
  const listed = names.slice(0, most).map((name) => `- ${name}`);
  const others = names.length > most ? [`- and ${names.length - most} more`] : [];
  return [`${text}\n\nThis is about ${names.length} messages:`, ...listed, ...others].join('\n');
}
