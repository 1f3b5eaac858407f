/** The skills index in its shortest form: names only, one line a category. */

/** Takes the names out of the finished index; empty stays empty. */
export function leanIndex(index: string): string {
  const listed = /<available_skills>\n([\s\S]*)\n<\/available_skills>/.exec(index)?.[1];
  if (listed === undefined) return '';
  const lines: string[] = [];
  let names: string[] = [];
  for (const line of listed.split('\n')) {
    const name = /^ {4}- (.+?)(?:: .*)?$/.exec(line)?.[1];
    if (name !== undefined) {
      names.push(name);
      continue;
    }
    flush();
    lines.push((/^ {2}(.+?):(?: .*)?$/.exec(line)?.[1] ?? line.trim()) + ':');
  }
  flush();
  return `## Skills\nLoad one that fits the task with skill_view(name) before you begin.\n\n<available_skills>\n${lines.join('\n')}\n</available_skills>`;

  /** Puts the names collected so far behind their category. */
  function flush(): void {
    if (names.length > 0) lines.push(`${lines.pop() ?? ''} ${names.join(', ')}`);
    names = [];
  }
}
