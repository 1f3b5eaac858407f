/** Text that only shows a file, as the reading tool prints it, and must not become a file's content. */

/** Said instead of writing such a text. */
export const displayTextMessage =
  'Refusing to write lines as read_file shows them: the numbers in front of them are not part of the file. Send the content without them.';

const numbered = /^\s*(\d+)\|/;
/** A stray line more does not make it a file. */
const mostlyShare = 0.75;

/** Two or more lines with rising numbers in front, and hardly any without; or the words in place of unchanged content. */
export function isDisplayText(content: string): boolean {
  const lines = content.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 1 && /^\[?Unchanged since you read it\b/.test(lines[0] ?? '')) return true;
  const numbers = lines.flatMap((line) => numbered.exec(line)?.[1] ?? []).map(Number);
  if (numbers.length < 2 || numbers.length < lines.length * mostlyShare) return false;
  return numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1);
}
