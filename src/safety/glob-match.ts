/** Patterns as Python's fnmatch has them: `*`, `?`, `[abc]`, `[!abc]`; everything else is itself, whatever its case. */

type Token = 'any run' | ((character: string) => boolean);

/** In time proportional to the text times the pattern, however many stars there are. */
export function globMatch(pattern: string, text: string): boolean {
  const tokens = tokensOf(pattern.toLowerCase());
  const characters = text.toLowerCase();
  let token = 0;
  let at = 0;
  /** Where the last star stood, and how far it reaches. */
  let star = -1;
  let reached = 0;
  while (at < characters.length) {
    const current = tokens[token];
    if (current === 'any run') {
      star = token;
      reached = at;
      token += 1;
    } else if (current?.(characters.charAt(at)) === true) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      reached += 1;
      at = reached;
      token = star + 1;
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === 'any run');
}

function tokensOf(pattern: string): Token[] {
  const pieces = pattern.match(/\[!?(?:\][^\]]*|[^\]]+)\]|[^]/gu) ?? [];
  return pieces.map((piece): Token => {
    if (piece === '*') return 'any run';
    if (piece === '?') return () => true;
    return piece.length > 1 && piece.startsWith('[') ? setOf(piece.slice(1, -1)) : (character) => character === piece;
  });
}

function setOf(inside: string): Token {
  const excluded = inside.startsWith('!');
  const members = excluded ? inside.slice(1) : inside;
  const ranges = [...members.matchAll(/([^])-([^])|([^])/gu)].map(([, from, to, single]) => [
    from ?? single,
    to ?? single,
  ]);
  return (character) => ranges.some(([from = '', to = '']) => from <= character && character <= to) !== excluded;
}
