/** Shell text without its comments: words that do nothing when it runs, and may be there for its reader only. */

const comment = /(?<=^|[\s;&|()<>`])#[^\n]*/y;
const quoted = /\$'(?:[^'\\]|\\[^])*'|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]/y;

/**
 * Undefined where it is not plain to see what is a comment: here-documents, quotes that do not end, and commands within
 * double quotes that hold a `#`.
 */
export function withoutComments(command: string): string | undefined {
  if (!command.includes('#')) return command;
  if (command.includes('<<')) return undefined;
  let kept = '';
  let at = 0;
  while (at < command.length) {
    const dropped = takeAt(comment, command, at);
    if (dropped !== undefined) {
      at += dropped.length;
      continue;
    }
    const piece = takeAt(quoted, command, at) ?? command.charAt(at);
    if (/^(?:['"]|\\)$/.test(piece) || (piece.startsWith('"') && /#/.test(piece) && /\$\(|`/.test(piece))) {
      return undefined;
    }
    kept += piece;
    at += piece.length;
  }
  return kept.trim();
}

function takeAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
