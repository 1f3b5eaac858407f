/** Makes characters visible that would change what a person sees: control codes, ANSI, bidirectional and hidden ones. */

/** A joiner or a presentation selector inside an emoji is how that emoji is written, not a trick. */
const partOfEmoji = String.raw`(?<=\p{Extended_Pictographic}\ufe0f?)(?:\u200d(?=\p{Extended_Pictographic})|\ufe0f)`;
/** Everything that has no mark of its own on a screen, or moves what comes after it. U+3000 is an ordinary space in CJK. */
const unseen = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`;
const partOfEmojiOrUnseen = new RegExp(`(?<emoji>${partOfEmoji})|${unseen}`, 'gu');

/**
 * The text as it may be shown to a person: hidden characters become `\x1b` or `\u{202e}`. Line breaks and tabs stay
 * unless `singleLine` is set (names, titles), where they are written as `\n` and `\t`.
 */
export function escapeForDisplay(text: string, options: { readonly singleLine?: boolean } = {}): string {
  return text.replace(partOfEmojiOrUnseen, (found: string, emoji: string | undefined) => {
    if (emoji !== undefined) return found;
    if (found === '\n' || found === '\t') {
      if (options.singleLine !== true) return found;
      return found === '\n' ? '\\n' : '\\t';
    }
    return escapeCharacter(found);
  });
}

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
}
