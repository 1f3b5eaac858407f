/** Cuts an answer that is still being written into sentences that can be spoken: without thoughts, code and Markdown. */
import { spokenText } from '../spoken-text.ts';

/** What is shorter is spoken together with what follows. */
const leastCharacters = 20;
/** What has no end is cut between two words. */
const mostCharacters = 1000;
/** Behind it a sentence has ended: a sign and a space, the signs of languages that write no spaces, or an empty line. */
const sentenceEnd = /[.!?…]["'”’)\]]*\s+|[。！？]+|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d+[.)])[ \t])/g;
const thoughtStart = /<(think|thinking|reasoning|thought|reasoning_scratchpad)>/i;
const fenceStart = /(?:^|\n) {0,3}(`{3,}|~{3,})[^\n]*\n/;
/** The beginning of either, at the end of what is there. */
const mayStart = /(?:<[a-z_]{0,24}|(?:^|\n) {0,3}(?:`{1,}|~{1,})[^\n]*)$/i;

export class Sentences {
  /** Not yet spoken, in Markdown. */
  #text = '';
  /** What ends the thought or the code that is being written. */
  #hiddenUntil: RegExp | undefined;
  #hidden = '';

  /** The sentences that end in it. */
  add(text: string): readonly string[] {
    return this.#cut(this.#visible(text));
  }

  /** What is left at the end of the answer. */
  end(): readonly string[] {
    const held = this.#hiddenUntil === undefined ? this.#hidden : '';
    const sentences = this.#cut(`${this.#text}${held}\n\n`);
    const rest = spokenText(this.#text);
    this.reset();
    return hasWords(rest) ? [...sentences, rest] : sentences;
  }

  /** Forgets what is not spoken yet. */
  reset(): void {
    this.#text = '';
    this.#hidden = '';
    this.#hiddenUntil = undefined;
  }

  /** All that is known to be said, from what was not spoken yet on. */
  #visible(text: string): string {
    let seen = this.#text;
    let rest = this.#hidden + text;
    for (;;) {
      if (this.#hiddenUntil !== undefined) {
        const end = this.#hiddenUntil.exec(rest);
        if (end === null) break;
        rest = rest.slice(end.index + end[0].length);
        this.#hiddenUntil = undefined;
      }
      const start = firstOf(thoughtStart.exec(rest), fenceStart.exec(rest));
      if (start === undefined) break;
      seen += `${rest.slice(0, start.index)}\n\n`;
      rest = rest.slice(start.index + start[0].length);
      this.#hiddenUntil = endOf(start[1] ?? '');
    }
    const kept = this.#hiddenUntil === undefined ? (mayStart.exec(rest)?.index ?? rest.length) : 0;
    this.#hidden = this.#hiddenUntil === undefined ? rest.slice(kept) : rest.slice(-maxMark);
    return seen + rest.slice(0, kept);
  }

  #cut(text: string): readonly string[] {
    const sentences: string[] = [];
    let from = 0;
    for (const { index, 0: mark } of text.matchAll(sentenceEnd)) {
      const sentence = spokenText(text.slice(from, index + mark.length));
      const length = index + mark.length - from;
      // Of what is all signs and empty lines nothing waits for the rest, or each new line would be read with all before it.
      if (sentence !== '' && sentence.length < leastCharacters && length < mostCharacters) continue;
      if (hasWords(sentence)) sentences.push(sentence);
      from = index + mark.length;
    }
    for (; text.length - from > mostCharacters; ) {
      const piece = text.slice(from, from + mostCharacters);
      const length = piece.lastIndexOf(' ') + 1 || mostCharacters;
      const sentence = spokenText(piece.slice(0, length));
      if (hasWords(sentence)) sentences.push(sentence);
      from += length;
    }
    this.#text = text.slice(from);
    return sentences;
  }
}

function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** No mark that ends something is longer. */
const maxMark = 64;

function endOf(mark: string): RegExp {
  return /^[`~]/.test(mark)
    ? new RegExp(`(?:^|\\n) {0,3}${mark}[\`~]*[ \\t]*(?=\\n|$)`)
    : new RegExp(`</${mark}>`, 'i');
}

function firstOf(...found: readonly (RegExpExecArray | null)[]): RegExpExecArray | undefined {
  return found.filter((match) => match !== null).sort((left, right) => left.index - right.index)[0];
}
