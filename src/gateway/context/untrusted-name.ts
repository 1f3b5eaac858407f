/** Names, topics and labels that strangers chose, made safe to stand in a prompt. */

const MAX_LENGTH = 240;

/** In quotes as JSON, without control characters, so that it cannot pass for a line of the prompt. */
export function quoteName(name: string): string {
  return JSON.stringify(plainName(name));
}

/** The same without quotes, for where it stands in brackets of our own. */
export function plainName(name: string): string {
  // Control, line and paragraph separators, and what turns the direction of writing.
  const clean = name.replaceAll(/[\p{Cc}\u2028-\u202E\u2060-\u2069\u200E\u200F\uFEFF]+/gu, ' ').replaceAll(/\s+/g, ' ');
  return Array.from(clean.trim()).slice(0, MAX_LENGTH).join('').trim();
}
