/** Markdown as plain text: its marks are taken out, what gives it structure stays (lists, quotes, tables, code). */

const fence = /^ {0,3}(`{3,}|~{3,})/;
/** Three stars alone; more of them are how people write schedules. */
const rule = /^ {0,3}(?:(?:[-_][ \t]*){3,}|(?:\*[ \t]*){3})$/;

export function stripMarkdown(text: string): string {
  let open: string | undefined;
  const lines = text.split('\n').flatMap((line) => {
    const mark = fence.exec(line)?.[1];
    if (open === undefined && mark !== undefined) {
      open = mark;
      return [];
    }
    if (open !== undefined && mark?.startsWith(open) === true && line.trim() === mark) {
      open = undefined;
      return [];
    }
    return [open === undefined ? stripLine(line) : line];
  });
  return lines.join('\n').replace(/\n{3,}/g, '\n\n');
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
    .replace(/!?\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/\*\*\*([^*]+)\*\*\*/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/(?<!\w)__([^_]+)__(?!\w)/g, '$1')
    .replace(/\*([^\s*](?:[^*]*[^\s*])?)\*/g, '$1')
    .replace(/(?<!\w)_([^_]+)_(?!\w)/g, '$1')
    .replace(/~~([^~]+)~~/g, '$1');
}
