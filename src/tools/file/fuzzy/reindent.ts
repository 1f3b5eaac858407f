/**
 * Moves new text to the indentation of the place it goes to, when the pattern was written with another one.
 *
 * Lines of the pattern that equal their file line but for white space say how indentation translates: by a common
 * prefix more, a common prefix less, or line by line (spaces for tabs). Text that already begins with the file's
 * indentation is left alone: then the model had only the pattern wrong.
 */
export function reindent(text: string, patternLines: readonly string[], fileLines: readonly string[]): string {
  const pairs = indentPairs(patternLines, fileLines);
  const first = pairs[0];
  if (first === undefined || pairs.every(({ from, to }) => from === to)) return text;
  const lines = text.split('\n');
  const firstIndent = indentOf(lines.find((line) => line.trim() !== '') ?? '');
  if (firstIndent === first.to && firstIndent !== first.from) return text;
  const translate = translation(pairs);
  return lines.map((line) => (line.trim() === '' ? line : translate(indentOf(line)) + line.trimStart())).join('\n');
}

interface IndentPair {
  readonly from: string;
  readonly to: string;
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function indentPairs(patternLines: readonly string[], fileLines: readonly string[]): IndentPair[] {
  return patternLines.flatMap((line, index) => {
    const fileLine = fileLines[index];
    if (fileLine === undefined || line.trim() === '' || collapse(line) !== collapse(fileLine)) return [];
    return [{ from: indentOf(line), to: indentOf(fileLine) }];
  });
}

function collapse(line: string): string {
  return line.trim().replace(/[ \t]+/g, ' ');
}

function translation(pairs: readonly IndentPair[]): (indent: string) => string {
  const added = commonPrefixOf(
    pairs.map(({ from, to }) => (to.endsWith(from) ? to.slice(0, to.length - from.length) : undefined)),
  );
  if (added !== undefined) return (indent) => added + indent;
  const removed = commonPrefixOf(
    pairs.map(({ from, to }) => (from.endsWith(to) ? from.slice(0, from.length - to.length) : undefined)),
  );
  if (removed !== undefined) return (indent) => dropPrefix(indent, removed);
  return translateByTable(pairs);
}

/** The one value that all share, if they do. */
function commonPrefixOf(values: readonly (string | undefined)[]): string | undefined {
  const [first] = values;
  return values.every((value) => value === first) ? first : undefined;
}

/** What is left of an indentation that is less than the prefix begins at the margin. */
function dropPrefix(indent: string, prefix: string): string {
  if (indent.startsWith(prefix)) return indent.slice(prefix.length);
  return indent.length <= prefix.length ? '' : indent;
}

function translateByTable(pairs: readonly IndentPair[]): (indent: string) => string {
  const table = new Map<string, string>([['', pairs.find(({ from }) => from === '')?.to ?? '']]);
  for (const { from, to } of pairs) if (!table.has(from)) table.set(from, to);
  const known = [...table].sort(([left], [right]) => right.length - left.length);
  const unit = unitOf(pairs);
  return (indent) => {
    const [from, to] = known.find(([from]) => indent.startsWith(from)) ?? ['', ''];
    return to + convertRest(indent.slice(from.length), unit);
  };
}

/** How one step of the pattern's indentation (spaces) is written in the file (tabs), or the other way round. */
function unitOf(pairs: readonly IndentPair[]): IndentPair | undefined {
  const pair = pairs.find(({ from, to }) => from !== '' && to !== '' && from[0] !== to[0]);
  if (pair === undefined) return undefined;
  const [spaces, tabs] = pair.from.startsWith(' ') ? [pair.from, pair.to] : [pair.to, pair.from];
  const width = Math.max(1, Math.round(spaces.length / tabs.length));
  return pair.from.startsWith(' ') ? { from: ' '.repeat(width), to: '\t' } : { from: '\t', to: ' '.repeat(width) };
}

function convertRest(rest: string, unit: IndentPair | undefined): string {
  return unit === undefined ? rest : rest.replaceAll(unit.from, unit.to);
}
