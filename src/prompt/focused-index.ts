/** The skills index for a session that works on code: what has nothing to do with it is listed by name only. */

const shortened = new Set([
  'apple',
  'communication',
  'cooking',
  'creative',
  'email',
  'finance',
  'gaming',
  'gifs',
  'health',
  'media',
  'music',
  'note-taking',
  'productivity',
  'shopping',
  'smart-home',
  'social-media',
  'travel',
  'yuanbao',
]);

/** Takes the descriptions of those categories out of the finished index. */
export function focusedIndex(index: string): string {
  let isShort = false;
  return index
    .split('\n')
    .map((line) => {
      const category = /^ {2}(\S.*?):(?: .*)?$/.exec(line)?.[1];
      if (category !== undefined) {
        isShort = shortened.has(category.split('/')[0] ?? category);
        return isShort ? `  ${category}:` : line;
      }
      return isShort ? line.replace(/^( {4}- .+?): .*$/, '$1') : line;
    })
    .join('\n');
}
