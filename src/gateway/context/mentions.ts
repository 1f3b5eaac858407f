/** Whether a message in a group speaks to this program, by its name or by configured patterns. */

/** The patterns that can be used, read without regard to case; one that cannot is told to `warn` and left out. */
export function readMentionPatterns(patterns: readonly string[], warn: (warning: string) => void): RegExp[] {
  return patterns.flatMap((pattern) => {
    if (pattern.trim() === '') return [];
    try {
      return [new RegExp(pattern, 'iu')];
    } catch {
      return lenient(pattern, warn);
    }
  });
}

export function matchesMention(text: string, patterns: readonly RegExp[]): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

/** True when one of the handles, such as `@bot`, stands in the text as a word of its own. */
export function mentionsHandle(text: string, handles: readonly string[]): boolean {
  return handles.some((handle) => handlePattern(handle).test(text));
}

/** The text without the handles and the punctuation that called with them: `@bot, hello` is `hello`. */
export function withoutHandles(text: string, handles: readonly string[]): string {
  let rest = text;
  for (const handle of handles) {
    const called = new RegExp(String.raw`^\s*${handlePattern(handle).source}[,:]?\s*`, 'iu');
    rest = rest
      .replace(called, '')
      .replaceAll(new RegExp(String.raw`[ \t]?${handlePattern(handle).source}`, 'giu'), '');
  }
  return rest.trim();
}

/** Patterns written for Python may escape what JavaScript's stricter mode does not know. */
function lenient(pattern: string, warn: (warning: string) => void): RegExp[] {
  try {
    return [new RegExp(pattern, 'i')];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`mention_patterns: '${pattern}' is not a regular expression (${reason}); it is left out`);
    return [];
  }
}

function handlePattern(handle: string): RegExp {
  const escaped = handle.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])${escaped}(?![\p{L}\p{N}_])`, 'iu');
}
