/** Answers that mean that nothing is to be sent. */

const words: ReadonlySet<string> = new Set(['SILENT', 'NOREPLY', 'NO_REPLY']);
const longest = 64;

/** True for `[SILENT]`, `NO_REPLY` and their like as the whole answer: case, spaces and marks around it do not matter. */
export function isSilence(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > longest) return false;
  const bare = trimmed.replaceAll(/^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu, '').replaceAll(/\s+/g, '');
  return words.has(bare.toUpperCase());
}
