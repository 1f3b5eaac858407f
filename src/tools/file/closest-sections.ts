/** Where a text that was looked for in vain may have been meant. */

const maxSections = 3;
const contextLines = 2;
/** Lines that are compared, and what is compared of each: a miss in a large file must not take seconds. */
const maxLines = 10_000;
const maxLineChars = 200;
/** Share of letters that two lines must have in common. */
const leastLikeness = 0.4;

/** The parts of `text` around the lines that are most like the first one of `wanted`, numbered; undefined when none is. */
export async function closestSections(text: string, wanted: string): Promise<string | undefined> {
  const wantedLines = wanted.split('\n');
  const anchor = wantedLines.map(comparable).find((line) => line !== '');
  if (anchor === undefined) return undefined;
  const { distance } = await import('fastest-levenshtein');
  const lines = text.trimEnd().split(/\r?\n/);
  const rated = lines.slice(0, maxLines).flatMap((line, at) => {
    const candidate = comparable(line);
    const longest = Math.max(candidate.length, anchor.length);
    // Lines of very different lengths cannot be alike enough, and most of a file is passed over so.
    if (candidate === '' || Math.min(candidate.length, anchor.length) < leastLikeness * longest) return [];
    const likeness = 1 - distance(candidate, anchor) / longest;
    return likeness < leastLikeness ? [] : [{ at, likeness }];
  });
  const sections = new Map<number, string>();
  for (const { at } of rated.sort((one, other) => other.likeness - one.likeness)) {
    const start = Math.max(0, at - contextLines);
    const end = Math.min(lines.length, at + wantedLines.length + contextLines);
    // One that stands in a better one already says nothing new.
    if ([...sections.keys()].some((other) => Math.abs(other - start) < end - start)) continue;
    sections.set(start, numbered(lines.slice(start, end), start + 1));
    if (sections.size === maxSections) break;
  }
  return sections.size === 0 ? undefined : [...sections.values()].join('\n---\n');
}

function comparable(line: string): string {
  return line.trim().slice(0, maxLineChars);
}

function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, at) => `${first + at}| ${line.slice(0, maxLineChars)}`).join('\n');
}
