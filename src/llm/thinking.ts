/** Inline thinking (`<think>…</think>` and its relatives): told apart from visible text, whole or while it streams. */

/** Longest tag: `</reasoning_scratchpad>`. */
const maxTagChars = 23;
const leadingTag = /^<(\/?)(think|thinking|thought|reasoning|reasoning_scratchpad)>/i;
const anyOpeningTag = /<(?:think|thinking|thought|reasoning|reasoning_scratchpad)>/i;
const tagNames = ['think', 'thinking', 'thought', 'reasoning', 'reasoning_scratchpad'] as const;
const allTags: readonly string[] = tagNames.flatMap((name) => [`<${name}>`, `</${name}>`]);

export interface ThinkingPiece {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/**
 * Splits the text of one answer as it streams; the pieces of all `push` calls and `end` joined are the same however
 * the text was cut. A tag that is still incomplete is held back. A tag right behind a backtick is quoted, so it is
 * text. A block that opens in the middle of a line is held back until it closes: if it never does, it was prose
 * about tags, and `end` returns it as text.
 */
export class ThinkingSplitter {
  /** Text that may be the beginning of a tag. */
  #held = '';
  /** Name of the block we are in. */
  #inside: string | undefined;
  /** An open block that began in the middle of a line: its tag and what stands in it so far. */
  #doubtful: { readonly tag: string; text: string } | undefined;
  /** The last character in front of the cursor. */
  #before = '\n';
  /** Only white space since the line began. */
  #lineStart = true;
  /** Skip white space: at the start, and behind a block with no visible text in front of it. */
  #skipSpace = false;
  #anyText = false;

  push(text: string): ThinkingPiece[] {
    const pieces: ThinkingPiece[] = [];
    const input = this.#held + text;
    this.#held = '';
    let cursor = 0;
    while (cursor < input.length) {
      const open = input.indexOf('<', cursor);
      if (open === -1) {
        this.#emit(pieces, input.slice(cursor));
        break;
      }
      this.#emit(pieces, input.slice(cursor, open));
      const tag = leadingTag.exec(input.slice(open, open + maxTagChars));
      if (tag !== null && this.#take(pieces, tag[0], tag[2]?.toLowerCase() ?? '', tag[1] === '/')) {
        cursor = open + tag[0].length;
      } else if (tag === null && mayBecomeTag(input, open)) {
        this.#held = input.slice(open);
        break;
      } else {
        this.#emit(pieces, '<');
        cursor = open + 1;
      }
    }
    return pieces;
  }

  /** The rest, when the text is complete. */
  end(): ThinkingPiece[] {
    const pieces: ThinkingPiece[] = [];
    this.#emit(pieces, this.#held);
    this.#held = '';
    if (this.#doubtful !== undefined) append(pieces, 'text', this.#doubtful.tag + this.#doubtful.text);
    this.#doubtful = undefined;
    return pieces;
  }

  /** Enters or leaves a block; false when the tag is plain text here. */
  #take(pieces: ThinkingPiece[], tag: string, name: string, closing: boolean): boolean {
    if (this.#before === '`') return false;
    if (this.#inside !== undefined) {
      if (!closing || name !== this.#inside) return false;
      if (this.#doubtful !== undefined) append(pieces, 'reasoning', this.#doubtful.text);
      this.#inside = undefined;
      this.#doubtful = undefined;
    } else if (!closing) {
      this.#inside = name;
      this.#doubtful = this.#lineStart ? undefined : { tag, text: '' };
    }
    this.#skipSpace = !this.#anyText;
    this.#before = '>';
    return true;
  }

  #emit(pieces: ThinkingPiece[], text: string): void {
    if (text === '') return;
    this.#before = text.at(-1) ?? '';
    if (this.#inside !== undefined) {
      if (this.#doubtful !== undefined) this.#doubtful.text += text;
      else append(pieces, 'reasoning', text);
      return;
    }
    const visible = this.#skipSpace ? text.trimStart() : text;
    if (visible === '') return;
    this.#skipSpace = false;
    if (!this.#anyText) this.#anyText = visible.trim() !== '';
    const newline = visible.lastIndexOf('\n');
    const sinceNewline = newline === -1 ? visible : visible.slice(newline + 1);
    this.#lineStart = (newline !== -1 || this.#lineStart) && sinceNewline.trim() === '';
    append(pieces, 'text', visible);
  }
}

/** The visible text and the inline thinking of a whole answer. */
export function splitThinking(content: string): { readonly text: string; readonly reasoning: string } {
  if (!content.includes('<')) return { text: content, reasoning: '' };
  const splitter = new ThinkingSplitter();
  const pieces = [...splitter.push(content), ...splitter.end()];
  const reasoning = pieces.filter((piece) => piece.type === 'reasoning').map((piece) => piece.text);
  const text = pieces.filter((piece) => piece.type === 'text').map((piece) => piece.text);
  return { text: text.join(''), reasoning: reasoning.join('').trim() };
}

/** True when the text opens a thinking block somewhere. */
export function hasThinking(content: string): boolean {
  return content.includes('<') && anyOpeningTag.test(content);
}

function append(pieces: ThinkingPiece[], type: ThinkingPiece['type'], text: string): void {
  if (text === '') return;
  const last = pieces.at(-1);
  if (last?.type === type) pieces[pieces.length - 1] = { type, text: last.text + text };
  else pieces.push({ type, text });
}

function mayBecomeTag(input: string, open: number): boolean {
  if (input.length - open >= maxTagChars) return false;
  const rest = input.slice(open).toLowerCase();
  return allTags.some((tag) => tag.startsWith(rest));
}
