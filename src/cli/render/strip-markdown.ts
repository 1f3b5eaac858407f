/** Markdown as plain text: its marks are taken out, what gives it structure stays (lists, quotes, tables, code). */

const fence = /^ {0,3}(`{3,}|~{3,})/;
/** Three stars alone; more of them are how people write schedules. */
const rule = /^ {0,3}(?:(?:[-_][ \t]*){3,}|(?:\*[ \t]*){3})$/;

export function stripMarkdown(text: string): string {
  const strip = new MarkdownStripper();
  const lines = text.split('\n').flatMap((line) => strip.line(line) ?? []);
  return lines.join('\n').replace(/\n{3,}/g, '\n\n');
}

/** The same line by line, for a text that is still arriving. */
export class MarkdownStripper {
  /** The mark of the block of code that is open. */
  #fence: string | undefined;

  /** Undefined for a line that is a mark alone. */
  line(line: string): string | undefined {
    const mark = fence.exec(line)?.[1];
    if (this.#fence === undefined && mark !== undefined) {
      this.#fence = mark;
      return undefined;
    }
    if (this.#fence !== undefined && mark?.startsWith(this.#fence) === true && line.trim() === mark) {
      this.#fence = undefined;
      return undefined;
    }
    return this.#fence === undefined ? stripLine(line) : line;
  }
}

function stripLine(line: string): string {
  if (rule.test(line)) return '';
  // What stands between backquotes is taken as it is.
  return line
    .replace(/^ {0,3}#{1,6}\s+/, '')
    .split(/(`[^`]+`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? part.slice(1, -1) : stripMarks(part)))
    .join('');
}

function stripMarks(text: string): string {
  return text
    .replace(/!?\[([^[\]]+)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '$1')
    .replace(/\*\*\*([^*]+)\*\*\*/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/(?<!\w)__([^_]+)__(?!\w)/g, '$1')
    .replace(/\*([^\s*](?:[^*]*[^\s*])?)\*/g, '$1')
    .replace(/(?<!\w)_([^_]+)_(?!\w)/g, '$1')
    .replace(/~~([^~]+)~~/g, '$1');
}
