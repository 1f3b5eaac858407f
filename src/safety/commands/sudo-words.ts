/** Finds where a shell would run `sudo`, as opposed to where the word only stands. */
import { forEachChild, parse, type SyntaxNode } from 'unbash';

/**
 * The text with `instead` in the place of every `sudo` that is run by its bare name, and how many there are. A text that is
 * no shell text has none.
 */
export function replaceSudo(command: string, instead: string): { readonly command: string; readonly count: number } {
  const script = parse(command);
  if ((script.errors ?? []).length > 0) return { command, count: 0 };
  const starts: number[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command' && node.name !== undefined) {
      const { pos, end } = node.name;
      if (command.slice(pos, end) === 'sudo') starts.push(pos);
    }
    forEachChild(node, visit);
  };
  visit(script);
  const fromEnd = [...new Set(starts)].sort((a, b) => b - a);
  let changed = command;
  for (const at of fromEnd) changed = changed.slice(0, at) + instead + changed.slice(at + 'sudo'.length);
  return { command: changed, count: fromEnd.length };
}
