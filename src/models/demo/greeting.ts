/** What the demo model says when it has nothing to do. */

const examples: readonly (readonly [readonly string[], string])[] = [
  [['search_files', 'terminal'], 'list files in src'],
  [['read_file'], 'read README.md'],
  [['terminal'], 'run `ls -la`'],
  [['search_files'], 'search for TODO'],
  [['write_file'], 'write "hello" to notes.txt'],
  [['todo'], 'add a todo: water the plants'],
];

/** Names only what the offered tools can do. */
export function greeting(tools: readonly string[]): string {
  const possible = examples
    .filter(([needs]) => needs.some((name) => tools.includes(name)))
    .map(([, example]) => example);
  if (possible.length === 0) return 'Hello! I am a demo, and without tools I can only say hello.';
  return `Hello! I am a demo. I understand requests like these:\n${possible.map((example) => `- ${example}`).join('\n')}`;
}
